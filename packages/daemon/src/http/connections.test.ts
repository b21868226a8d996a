import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectWithTls } from 'node:tls'
import { type ConnectionLimits, connectionLimits } from '@innkeeper/contract/http/connection-limiter'
import { type HttpTimeouts, httpTimeouts } from '@innkeeper/contract/http/http-connections'
import { requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { getFile, putFile } from '@innkeeper/contract/servers/files'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { pino } from 'pino'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Certificate, openNodeCertificate } from '../panel-link/node-certificate.ts'
import { program, TestNode } from '../testing/daemon.ts'
import { createApp } from './app.ts'

const id = '0a0a0a0a'
const params = { id }
const few = { total: 12, perAddress: 4, perOwner: 3 }
const short = { ...httpTimeouts, checkEveryMs: 20 }
const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function opened(at: { path: string } | { port: number; localAddress?: string }): Promise<Socket> {
  const target = 'path' in at ? at : { host: '127.0.0.1', ...at }
  const socket = connect({ ...target, allowHalfOpen: true }).on('error', () => {})
  cleanUps.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

describe('a node with all its servers', () => {
  async function nodeWith(options: Parameters<typeof TestNode.start>[0]): Promise<TestNode> {
    const node = await TestNode.start(options)
    cleanUps.push(() => node[Symbol.asyncDispose]())
    await node.client.create(id, program('echo'))
    return node
  }

  test('starts a server, opens its console and writes a file while its connections are held open', async () => {
    const node = await nodeWith({ connectionLimits: { ...connectionLimits(), node: few } })
    const before = await node.client.watch(id)
    for (let index = 0; index < 40; index++) await opened({ path: node.socketPath })

    const watcher = await node.client.watch(id)
    await node.client.send(startServer, { params, query: { wait: true } })
    await watcher.untilText('ready\n')
    const { status } = await node.client.send(putFile, { params: { id, path: 'a.txt' }, body: 'text' })

    expect(status).toBe(204)
    expect((await node.client.send(getFile, { params: { id, path: 'a.txt' } })).body).toBe('text')
    await before.untilText('ready\n')
  })

  test('limits the live sockets of a user on a server', async () => {
    const node = await nodeWith({ connectionLimits: { ...connectionLimits(), node: { ...few, total: 20 } } })
    await node.client.create('0b0b0b0b', program('echo'))
    const watchers = await Promise.all(Array.from({ length: 3 }, () => node.client.watch(id)))

    await expect(node.client.watch(id)).rejects.toThrow('429')

    for (const elsewhere of [node.client.watch('0b0b0b0b'), node.client.watch(id, ['admin'], { sub: 'user:2' })])
      expect((await elsewhere).socket.readyState).toBe(WebSocket.OPEN)
    watchers[0]?.socket.close()
    await vi.waitFor(() => node.client.watch(id), { timeout: 10_000 })
  })

  test.each([
    ['too slow', 1, 'no answer'],
    ['steady', 100, 'HTTP/1.1 204 No Content'],
  ])('a body that is %s', async (_, bytes, expected) => {
    const node = await nodeWith({ http: { timeouts: { ...httpTimeouts, slowestBody: { bytes: 100, everyMs: 400 } } } })
    const path = `/daemon/server/${id}/file/a.txt`
    const ticket = await node.client.ticket({ purpose: requestPurpose('PUT', path), rights: ['admin'], server: id })
    const socket = await opened({ path: node.socketPath })
    socket.write(`PUT ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ticket}\r\nContent-Length: 5000\r\n\r\n`)
    let unsent = 5_000
    const sending = setInterval(() => {
      if (unsent > 0) socket.write('x'.repeat(bytes))
      unsent -= bytes
    }, 20)
    cleanUps.push(() => clearInterval(sending))

    const answer = await new Promise((resolve) => {
      socket.once('data', (head) => resolve(String(head).split('\r\n', 1)[0]))
      for (const end of ['end', 'error'] as const) socket.once(end, () => resolve('no answer'))
    })

    expect(answer).toBe(expected)
  })
})

describe('the port of a node', () => {
  let tls: Certificate
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-tls-'))
    tls = await openNodeCertificate(folder)
    await rm(folder, { recursive: true })
  })

  interface Options {
    readonly limits?: ConnectionLimits
    readonly timeouts?: HttpTimeouts
    readonly isSecure?: boolean
  }

  async function listening(options: Options) {
    const { limits = few, timeouts, isSecure = true } = options
    const unused = {}
    const deps = { servers: unused, fileOperations: unused, uploads: unused, tasks: unused, backups: unused }
    const log = pino({ level: 'silent' })
    const http = createApp({
      ...deps,
      isReady: () => true,
      connectionLimits: limits,
      timeouts,
      tls: isSecure ? tls : undefined,
      log,
    } as never)
    cleanUps.push(() => http.close())
    await http.app.listen({ host: '127.0.0.1', port: 0 })
    const address = http.app.server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    return { port, connections: http.app.connections }
  }

  async function readStatus(port: number): Promise<number | undefined> {
    const at = { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false }
    const [response] = await once(request(at).end(), 'response')
    response.resume()
    return response.statusCode
  }

  test.each([
    ['one address', () => '127.0.0.1', few.perAddress],
    ['many addresses', (index: number) => `127.0.1.${index}`, few.total],
  ])('answers while connections of %s are held open', async (_, getAddress, most) => {
    const { port, connections } = await listening({})
    for (let index = 0; index < 40; index++) await opened({ port, localAddress: getAddress(index) })

    expect(await readStatus(port)).toBe(200)

    expect(connections.size).toBeLessThanOrEqual(most)
  })

  test.each([
    ['before the TLS handshake', { ...short, tlsHandshakeMs: 200 }, undefined],
    ['that sends nothing', { ...short, headMs: 200 }, ''],
    ['that sends a part of a head', { ...short, headMs: 200 }, 'GET / HTTP/1.1\r\nHo'],
    ['that sends no further request', { ...short, keepAliveMs: 100 }, 'GET /daemon HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('ends a connection %s', async (_, timeouts, text) => {
    const { port, connections } = await listening({ limits: connectionLimits().node, timeouts })
    const socket = await opened({ port })
    if (text !== undefined) {
      const secure = connectWithTls({ socket, rejectUnauthorized: false }).on('error', () => {})
      await once(secure, 'secureConnect')
      secure.write(text)
    }

    await vi.waitUntil(() => connections.size === 0, { timeout: 10_000 })
  })

  test('ends a connection whose live socket was refused, when the client does not close it', async () => {
    const { port, connections } = await listening({ isSecure: false })
    const socket = await opened({ port })

    socket.write(`GET /daemon/socket/${id} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`)

    await once(socket.resume(), 'end')
    await vi.waitUntil(() => connections.size === 0, { timeout: 10_000 })
  })
})
