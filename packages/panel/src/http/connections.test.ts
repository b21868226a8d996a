import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { request as requestWithTls } from 'node:https'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { httpTimeouts } from '@innkeeper/contract/http/http-connections'
import { putFile } from '@innkeeper/contract/servers/files'
import pino from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import WebSocket from 'ws'
import { certificate } from '../testing/certificate.ts'
import { TestPanel, type TestUser } from '../testing/test-panel.ts'

const connectionLimits = { total: 12, perAddress: 4, perOwner: 6 }
/** Nothing ends by itself in tests of the limits. */
const short = { ...httpTimeouts, checkEveryMs: 20 }

const patient = { timeout: 10_000 }

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

type Options = Parameters<typeof TestPanel.start>[0]

async function listening(options: Options) {
  const testPanel = await TestPanel.start(options)
  cleanUps.push(() => testPanel.stop())
  const { url } = await testPanel.panel.listen()
  const address = testPanel.panel.app.server.address()
  return { testPanel, url, port: typeof address === 'object' && address ? address.port : 0 }
}

/** A connection that reads nothing by itself, and does not close its side. */
async function opened(port: number, { localAddress = '127.0.0.1', text = '' } = {}): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true }).on('error', () => {})
  cleanUps.push(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

/** The status of a request on a connection of its own. */
async function readStatus(url: string, { token }: Partial<TestUser> = {}): Promise<number | undefined> {
  const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  const send = url.startsWith('https:') ? requestWithTls : request
  const sent = send(url, { headers, agent: false, rejectUnauthorized: false }).end()
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'close')
  return response.statusCode
}

/** Opens a connection that stays open after a request. */
async function kept(port: number, { token }: Partial<TestUser> = {}): Promise<{ socket: Socket; status: number }> {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  const socket = await opened(port, { text: `GET /api/self HTTP/1.1\r\nHost: x\r\n${authorization}\r\n` })
  const [head] = await once(socket, 'data')
  return { socket, status: Number(/^HTTP\/1.1 (\d+)/.exec(String(head))?.[1]) }
}

const noConnections = (testPanel: TestPanel) => vi.waitUntil(() => testPanel.panel.app.connections.size === 0, patient)

describe('while a client holds connections open', () => {
  const addresses: readonly (readonly [string, (index: number) => string])[] = [
    ['one address', () => '127.0.0.1'],
    ['many addresses', (index) => `127.0.1.${index}`],
  ]
  const texts = [
    ['nothing', ''],
    ['a part of a head', 'GET / HTTP/1.1\r\nHo'],
    ['a request', 'GET /api/config HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a part of a body', 'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'],
  ] as const

  test.each(
    addresses.flatMap(([from, getAddress]) =>
      texts.map(([what, text]) => ({ from, addressOf: getAddress, what, text })),
    ),
  )(
    'from $from, which sent $what, others are served and live sockets stay',
    async ({ addressOf: getAddress, text }) => {
      const { testPanel, url, port } = await listening({ connectionLimits })
      const [admin, id] = [await testPanel.admin(), await testPanel.server()]
      const live = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, {
        headers: { authorization: `Bearer ${admin.token}` },
      })
      cleanUps.push(() => live.terminate())
      await once(live, 'open')
      for (let index = 0; index < 40; index++) await opened(port, { localAddress: getAddress(index), text })

      expect(await readStatus(`${url}/api/self`, admin)).toBe(200)
      expect(await readStatus(`${url}/api/config`)).toBe(200)

      expect(live.readyState).toBe(WebSocket.OPEN)
      expect(testPanel.panel.app.connections.size).toBeLessThanOrEqual(connectionLimits.total)
    },
  )

  test.each(addresses)('from %s, before a TLS handshake, others are served', async (_, getAddress) => {
    const { testPanel, url, port } = await listening({ connectionLimits, tls: certificate })
    const admin = await testPanel.admin()
    for (let index = 0; index < 40; index++) await opened(port, { localAddress: getAddress(index) })

    expect(await readStatus(`${url.replace('localhost', '127.0.0.1')}/api/self`, admin)).toBe(200)

    expect(testPanel.panel.app.connections.size).toBeLessThanOrEqual(connectionLimits.total)
  })

  test('a user has a limited number of connections, and other users are not affected', async () => {
    const { testPanel, port } = await listening({ connectionLimits })
    const [one, other] = [await testPanel.admin(), await testPanel.admin()]

    const answers = await Promise.all(Array.from({ length: 8 }, () => kept(port, one)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
    expect((await kept(port, other)).status).toBe(200)
    for (const { socket } of answers) socket.destroy()
    await vi.waitUntil(() => testPanel.panel.app.connections.size === 1, patient)
    expect((await kept(port, one)).status).toBe(200)
  })
})

describe('a trusted proxy', () => {
  const some = { total: 12, perAddress: 2, perOwner: 2 }

  test('has any number of connections within the total', async () => {
    const { testPanel, port } = await listening({ connectionLimits: some, trustProxy: ['127.0.0.0/8'] })
    const admin = await testPanel.admin()

    const answers = []
    for (let index = 0; index < 10; index++) answers.push(await kept(port, admin))

    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(testPanel.panel.app.connections.size).toBe(10)
  })

  test('on this machine is no process of a server', async () => {
    const serverUids = { first: process.getuid?.() ?? 0, count: 1 }
    const { testPanel, port } = await listening({ connectionLimits: some, trustProxy: ['127.0.0.1'], serverUids })

    for (let index = 0; index < 10; index++) await opened(port)

    await vi.waitUntil(() => testPanel.panel.app.connections.size === some.perAddress, patient)
  })

  test('on the unix socket is counted in the total', async () => {
    const folder = await makeFolder(await listening({}), 'proxy')
    const proxySocket = join(folder, 'panel.sock')
    const { testPanel } = await listening({ connectionLimits: some, proxySocket })
    const sockets = Array.from({ length: 40 }, () => {
      const socket = connect(proxySocket).on('error', () => {})
      cleanUps.push(() => socket.destroy())
      return socket
    })
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))

    const sent = request({ socketPath: proxySocket, path: '/api/config', agent: false }).end()
    const [response] = await once(sent, 'response')

    expect(response.statusCode).toBe(200)
    response.resume()
    expect(testPanel.panel.app.connections.size).toBeGreaterThan(some.perAddress)
    expect(testPanel.panel.app.connections.size).toBeLessThanOrEqual(some.total)
  })

  async function makeFolder({ testPanel }: { testPanel: TestPanel }, name: string): Promise<string> {
    const folder = join(testPanel.folder, name)
    await mkdir(folder, { mode: 0o750 })
    return folder
  }
})

describe('a connection is ended', () => {
  test.each([
    ['that sends nothing', ''],
    ['that sends only a part of a head', 'GET / HTTP/1.1\r\nHo'],
    ['that sends only a part of a second head', 'GET /api/config HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHo'],
  ])('%s', async (_, text) => {
    const { testPanel, port } = await listening({ timeouts: { ...short, headMs: 200 } })

    await opened(port, { text })

    await noConnections(testPanel)
  })

  test('that sends a head byte by byte', async () => {
    const { testPanel, port } = await listening({ timeouts: { ...short, headMs: 200 } })
    const socket = await opened(port)
    const sending = setInterval(() => socket.write('G'), 20)
    cleanUps.push(() => clearInterval(sending))

    await noConnections(testPanel)
  })

  test('that does not finish its TLS handshake', async () => {
    const { testPanel, port } = await listening({ timeouts: { ...short, tlsHandshakeMs: 200 }, tls: certificate })

    await opened(port, { text: '\u0016\u0003\u0001' })

    await noConnections(testPanel)
  })

  test('that sends no further request', async () => {
    const { testPanel, port } = await listening({ timeouts: { ...short, keepAliveMs: 100 } })

    expect((await kept(port, await testPanel.admin())).status).toBe(200)

    await noConnections(testPanel)
  })

  test.each([
    ['POST /auth/login', 'application/json'],
    ['POST /oauth2/token', 'application/x-www-form-urlencoded'],
    ['POST /api/nothing', 'application/json'],
    ['GET /api/config', 'text/plain'],
  ])('that sends the body of %s too slowly', async (route, type) => {
    const { testPanel, port } = await listening({ timeouts: { ...short, slowestBody: { bytes: 100, everyMs: 200 } } })
    const head = `${route} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 10000\r\n\r\n`
    const socket = await opened(port, { text: head })
    const sending = setInterval(() => socket.write('1'), 20)
    cleanUps.push(() => clearInterval(sending))

    await noConnections(testPanel)
  })

  test('that sends an upload too slowly, which the node notices and the log does not', async () => {
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
    const { testPanel, port } = await listening({
      log,
      timeouts: { ...short, slowestBody: { bytes: 100, everyMs: 200 } },
    })
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const ended = Promise.withResolvers<void>()
    // Fast until the node has the request.
    let piece = 'x'.repeat(1_000)
    testPanel.node.answer(putFile, (request) => {
      piece = '1'
      request.resume().once('close', () => ended.resolve())
    })
    lines.length = 0
    const head = `PUT /proxy/daemon/server/${id}/file/a.txt HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\n`
    const socket = await opened(port, { text: `${head}Content-Length: 100000000\r\n\r\n` })
    const sending = setInterval(() => socket.write(piece), 20)
    cleanUps.push(() => clearInterval(sending))

    await noConnections(testPanel)

    await ended.promise
    expect(lines.filter((line) => /"level":[456]0/.test(line))).toEqual([])
  })

  test('whose live socket was refused, when the client does not close it', async () => {
    const { testPanel, port } = await listening({})
    const upgrade =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n'

    const socket = await opened(port, { text: `GET /daemon/socket/0a0a0a0a HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n` })
    const [answer] = await once(socket, 'data')

    expect(String(answer)).toMatch(/^HTTP\/1.1 401 /)
    await noConnections(testPanel)
  })

  test('whose client does not read what it requested without a sign-in', async () => {
    const first = await listening({})
    const webDir = join(first.testPanel.folder, 'web')
    await mkdir(webDir)
    await writeFile(join(webDir, 'index.html'), '<title>App</title>')
    await writeFile(join(webDir, 'large.bin'), Buffer.alloc(20 * 1024 * 1024))
    const { testPanel, port } = await listening({ webDir, timeouts: { ...short, unreadMs: 200 } })

    const socket = await opened(port, { text: 'GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n' })

    await noConnections(testPanel)
    expect(socket.bytesRead).toBeLessThan(20 * 1024 * 1024)
  })
})
