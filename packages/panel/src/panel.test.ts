import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { setup } from '@innkeeper/contract/auth'
import { limits } from '@innkeeper/contract/limits'
import { stopServer } from '@innkeeper/contract/node-servers'
import pino from 'pino'
import { expect } from 'vitest'
import { createPanel } from './panel.ts'
import { type House, test } from './testing/house.ts'

/** The same house after a restart of the panel. */
async function restarted(house: House) {
  await house.panel.close()
  return createPanel({
    databaseUrl: house.databaseUrl,
    host: '127.0.0.1',
    port: 0,
    templatesDir: join(house.folder, 'templates'),
    version: '0.0.0-test',
    log: pino({ level: 'silent' }),
  })
}

test('the key that nodes trust is the same after a restart, and holds no secret', async ({ house }) => {
  const panel = await restarted(house)

  expect(panel.publicJwk).toEqual(house.panel.publicJwk)
  expect(panel.publicJwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519' })
  expect(panel.publicJwk).not.toHaveProperty('d')
  await panel.close()
})

test('each start prints a new setup code, and only the newest is good', async ({ house }) => {
  const panel = await restarted(house)
  const who = { username: 'keeper', email: 'keeper@example.org', password: 'long enough' }
  const attempt = (code = '') => panel.app.inject({ method: 'POST', url: setup.path, payload: { code, ...who } })

  expect(panel.setupCode).not.toBe(house.panel.setupCode)
  expect((await attempt(house.panel.setupCode)).statusCode).toBe(400)
  expect((await attempt(panel.setupCode)).statusCode).toBe(200)
  await panel.close()
})

test('sessions live on over a restart', async ({ house }) => {
  const person = await house.person()
  const panel = await restarted(house)

  const response = await panel.app.inject({ url: '/api/self', headers: { authorization: `Bearer ${person.token}` } })

  expect(response.json()).toMatchObject({ username: person.username })
  await panel.close()
})

test('a setting for the first administrator that cannot be one stops the start', async ({ house }) => {
  const admin = { username: 'x', email: 'keeper@example.org', password: 'long enough' }
  const starting = createPanel({
    databaseUrl: 'sqlite::memory:',
    host: '127.0.0.1',
    port: 0,
    templatesDir: house.folder,
    admin,
    version: '0',
    log: pino({ level: 'silent' }),
  })

  await expect(starting).rejects.toMatchObject({ code: 'ErrUsernameRequirements' })
})

test('a panel that stops does not wait for ever for what is in progress', { timeout: 20_000 }, async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]
  const begun = Promise.withResolvers<void>()
  house.node.answer(stopServer, () => begun.resolve())
  const { url } = await house.panel.listen()
  const waiting = request(`${url}/proxy/daemon/server/${id}/stop?wait`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin.token}` },
  })
  const failed = once(waiting, 'error')
  waiting.end()
  await begun.promise

  const from = performance.now()
  await house.panel.close()

  expect(performance.now() - from).toBeLessThan(limits.shutdownMs)
  await failed
})
