import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { nodeEndpoint } from '@innkeeper/contract/api/endpoint'
import { requiredPermissions } from '@innkeeper/contract/api/permissions'
import * as definitionCalls from '@innkeeper/contract/definitions/server-definition'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import type { Ticket } from '@innkeeper/contract/node-link/ticket'
import * as calls from '@innkeeper/contract/servers/node-servers'
import { getStatus, liveSocketPath, startServer } from '@innkeeper/contract/servers/node-servers'
import Fastify from 'fastify'
import { generateKeyPair, SignJWT } from 'jose'
import { describe, expect } from 'vitest'
import { WebSocket } from 'ws'
import { testOnClearedNode as test } from '../../testing/node-test.ts'
import { serverCallRoute } from './serve.ts'

const id = '0a0a0a0a'
const params = { id }
const now = () => Math.floor(Date.now() / 1000)

describe('a node rejects a ticket', () => {
  test.for<[string, Partial<Ticket>]>([
    ['for another node', { aud: 'node:7' }],
    ['for another server', { server: '0b0b0b0b' }],
    ['without a server', { server: undefined }],
    ['for another path', { purpose: `GET /daemon/server/${id}` }],
    ['for another method', { purpose: `POST /daemon/server/${id}/status` }],
    ['for a socket', { purpose: 'socket' }],
    ['that has expired', { iat: now() - 200, exp: now() - 140 }],
    ['that lives too long', { exp: now() + 3600 }],
    ['of the future', { iat: now() + 300, exp: now() + 360 }],
  ])('%s', async ([, ticket], { node: { client } }) => {
    await client.create(id, 'true')

    const answer = await client.send(getStatus, { params, ticket })

    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'ErrTokenInvalid' } } })
    expect(answer.headers['www-authenticate']).toContain('Bearer')
  })

  test('with a foreign signature, without one, or that is malformed', async ({ node: { client } }) => {
    await client.create(id, 'true')
    const purpose = `GET /daemon/server/${id}/status`
    const ticket = await client.ticket({ purpose, rights: ['admin'], server: id })
    const [, payload] = ticket.split('.')
    const { privateKey } = await generateKeyPair('Ed25519')
    const claims = JSON.parse(Buffer.from(payload as string, 'base64url').toString())
    const forged = await new SignJWT({ ...claims, jti: 'x'.repeat(20) })
      .setProtectedHeader({ alg: 'EdDSA' })
      .sign(privateKey)
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`

    for (const authorization of [`Bearer ${forged}`, `Bearer ${unsigned}`, 'Bearer x', 'Basic eDp5', '']) {
      expect((await client.send(getStatus, { params, authorization })).status).toBe(401)
    }
  })

  test('that was used before', async ({ node: { client } }) => {
    await client.create(id, 'true')
    const ticket = await client.ticket({
      purpose: `GET /daemon/server/${id}/status`,
      rights: ['viewServer'],
      server: id,
    })
    const authorization = `Bearer ${ticket}`

    expect((await client.send(getStatus, { params, authorization })).status).toBe(200)
    expect((await client.send(getStatus, { params, authorization })).status).toBe(401)
  })

  test('of the panel for a server endpoint, or of a user for a panel endpoint', async ({ node: { client } }) => {
    await client.create(id, 'true')

    expect((await client.send(getStatus, { params, permissions: ['node'] })).status).toBe(403)
    expect((await client.ask('GET', '/daemon/features', { permissions: ['admin'] })).status).toBe(403)
    expect(
      (await client.ask('DELETE', `/daemon/server/${id}`, { permissions: ['node'], ticket: { server: id } })).status,
    ).toBe(401)
    expect((await client.ask('GET', '/daemon/features', { permissions: ['node'] })).status).toBe(200)
  })
})

test('every server endpoint needs its permission, and all others together are not sufficient', async ({
  node: { client },
}) => {
  await client.create(id, 'true')
  const served = Object.values({ ...calls, ...definitionCalls }).filter(
    (call) => typeof call === 'object' && 'via' in call,
  )
  expect(served.length).toBeGreaterThan(10)

  for (const call of served) {
    const { onServer } = call.access as { onServer: string }
    if (onServer === 'viewServer') continue
    const others = requiredPermissions.filter((permission) => permission !== onServer && permission !== 'admin')
    const answer = await client.send(call, { params, permissions: others, body: '{}' })
    expect(answer, `${call.method} ${call.path}`).toMatchObject({
      status: 403,
      body: { error: { code: 'ErrMissingScope', metadata: { scope: expect.any(String) } } },
    })
  }
})

test('any permission allows to view the server, an administrator may do everything', async ({ node: { client } }) => {
  await client.create(id, 'true')

  expect((await client.send(getStatus, { params, permissions: ['viewServerFiles'] })).status).toBe(200)
  expect((await client.send(getDefinition, { params, permissions: ['admin'] })).status).toBe(200)
  expect((await client.send(startServer, { params, permissions: ['startServer'] })).status).toBe(202)
})

test('an endpoint without a permission on a server cannot be registered', () => {
  const serve = serverCallRoute(
    Fastify(),
    { verify: () => Promise.reject(new Error('never asked')) },
    { find: () => undefined },
  )
  const open = nodeEndpoint('GET', '/daemon/secrets', { access: 'public' })

  expect(() => serve(open, () => {})).toThrow('has no permission')
})

test('unknown routes are "not found" as JSON, and the daemon reports that it runs', async ({ node: { client } }) => {
  expect(await client.ask('GET', `/daemon/server/${id}/nothing/a`)).toMatchObject({
    status: 404,
    body: { error: { code: 'ErrNotFound' } },
  })
  expect(await client.ask('GET', '/daemon', { authorization: '' })).toMatchObject({
    status: 200,
    body: { message: 'daemon is running' },
  })
  expect(await client.ask('HEAD', '/daemon', { authorization: '' })).toMatchObject({ status: 204 })
  expect(await client.send(getStatus, { params: { id: '0f0f0f0f' } })).toMatchObject({ status: 404 })
  expect((await client.send(getStatus, { params: { id: '../etc' } })).status).toBeGreaterThanOrEqual(400)
})

test('a live socket opens only with its ticket, and reports why not', async ({ node }) => {
  const { client, socketPath } = node
  await client.create(id, 'true')
  const open = async (server: string, authorization: string): Promise<number | undefined> => {
    const path = liveSocketPath.replace(':id', server)
    const socket = new WebSocket(`ws+unix:${socketPath}:${path}`, { headers: { authorization } })
    return await new Promise((resolve, reject) => {
      socket.on('open', () => reject(new Error('it opened')))
      socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode))
    })
  }
  const ticket = async (more: object) =>
    `Bearer ${await client.ticket({ purpose: 'socket', rights: ['admin'], server: id, ...more })}`

  expect(await open(id, '')).toBe(401)
  expect(await open(id, await ticket({ purpose: `GET /daemon/socket/${id}` }))).toBe(401)
  expect(await open('0b0b0b0b', await ticket({}))).toBe(401)
  expect(await open('0b0b0b0b', await ticket({ server: '0b0b0b0b' }))).toBe(404)
  expect(await open(id, await ticket({ rights: [] }))).toBe(403)
})

test.for([
  ['PUT', 'file/a', 'Bearer x', 401],
  ['POST', 'console', 'Bearer x', 401],
  ['PUT', 'file/no-such-folder/a', undefined, 404],
] as const)(
  'a refused %s %s with a body leaves its connection to the next request',
  async ([method, path, authorization, expected], { node }) => {
    await node.client.create(id, 'true')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const sockets = new Set<unknown>()
    const ask = async (verb: string, url: string, body: string, as?: string) => {
      const ticket = () => node.client.ticket({ purpose: `${verb} ${url}`, rights: ['admin'], server: id })
      const headers = { authorization: as ?? `Bearer ${await ticket()}` }
      const asked = request({ agent, socketPath: node.socketPath, method: verb, path: url, headers })
      // The body arrives after its refusal, in pieces.
      asked.flushHeaders()
      asked.write(body)
      const answered = once(asked, 'response') as Promise<[IncomingMessage]>
      setTimeout(() => asked.end(body), 30)
      const [response] = await answered
      sockets.add(response.socket)
      await response.resume().toArray()
      return response.statusCode
    }

    const refused = await ask(method, `/daemon/server/${id}/${path}`, 'x'.repeat(100_000), authorization)
    const next = await ask('GET', `/daemon/server/${id}/status`, '')

    expect([refused, next]).toEqual([expected, 200])
    expect(sockets.size).toBe(1)
    agent.destroy()
  },
)
