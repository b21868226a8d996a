import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { setup } from '@innkeeper/contract/accounts/sign-up'
import { stopServer } from '@innkeeper/contract/servers/node-servers'
import { limits } from '@innkeeper/contract/text/limits'
import pino from 'pino'
import { expect } from 'vitest'
import { createPanel } from './panel.ts'
import { type TestPanel, test } from './testing/test-panel.ts'

/** The same panel after a restart. */
async function restarted(testPanel: TestPanel) {
  await testPanel.panel.close()
  return createPanel({
    databaseUrl: testPanel.databaseUrl,
    host: '127.0.0.1',
    port: 0,
    templatesDir: join(testPanel.folder, 'templates'),
    version: '0.0.0-test',
    log: pino({ level: 'silent' }),
  })
}

test('the public key for nodes is the same after a restart, and contains no private key', async ({ testPanel }) => {
  const panel = await restarted(testPanel)

  expect(panel.publicJwk).toEqual(testPanel.panel.publicJwk)
  expect(panel.publicJwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519' })
  expect(panel.publicJwk).not.toHaveProperty('d')
  await panel.close()
})

test('each start prints a new setup code, and only the newest is valid', async ({ testPanel }) => {
  const panel = await restarted(testPanel)
  const who = { username: 'keeper', email: 'keeper@example.org', password: 'long enough' }
  const attempt = (code = '') => panel.app.inject({ method: 'POST', url: setup.path, payload: { code, ...who } })

  expect(panel.setupCode).not.toBe(testPanel.panel.setupCode)
  expect((await attempt(testPanel.panel.setupCode)).statusCode).toBe(400)
  expect((await attempt(panel.setupCode)).statusCode).toBe(200)
  await panel.close()
})

test('sessions survive a restart', async ({ testPanel }) => {
  const user = await testPanel.createUser()
  const panel = await restarted(testPanel)

  const response = await panel.app.inject({ url: '/api/self', headers: { authorization: `Bearer ${user.token}` } })

  expect(response.json()).toMatchObject({ username: user.username })
  await panel.close()
})

test('an invalid setting for the first administrator stops the start', async ({ testPanel }) => {
  const admin = { username: 'x', email: 'keeper@example.org', password: 'long enough' }
  const starting = createPanel({
    databaseUrl: 'sqlite::memory:',
    host: '127.0.0.1',
    port: 0,
    templatesDir: testPanel.folder,
    admin,
    version: '0',
    log: pino({ level: 'silent' }),
  })

  await expect(starting).rejects.toMatchObject({ code: 'ErrUsernameRequirements' })
})

test('a panel that stops aborts requests in progress after a timeout', { timeout: 20_000 }, async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const begun = Promise.withResolvers<void>()
  testPanel.node.answer(stopServer, () => begun.resolve())
  const { url } = await testPanel.panel.listen()
  const waiting = request(`${url}/proxy/daemon/server/${id}/stop?wait`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin.token}` },
  })
  const failed = once(waiting, 'error')
  waiting.end()
  await begun.promise

  const from = performance.now()
  await testPanel.panel.close()

  expect(performance.now() - from).toBeLessThan(limits.shutdownMs)
  await failed
})
