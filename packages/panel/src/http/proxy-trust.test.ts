import { once } from 'node:events'
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { listSessions } from '@innkeeper/contract/accounts/account'
import { login } from '@innkeeper/contract/accounts/auth'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { maxLoginAttempts } from '../security/rate-limiter.ts'
import { password, TestPanel, type TestUser } from '../testing/test-panel.ts'
import { type Connection, isLocal, peerUid, socketOfPeer } from './local-peer.ts'

const ownUid = process.getuid?.() ?? 0
/** The test's own process counts as a server with the first uid list, and as a proxy with the second. */
const weAreServers = { first: ownUid, count: 1 }
const weAreNone = { first: ownUid + 1, count: 1 }

type To = { readonly port: number } | { readonly socketPath: string }

interface Answer {
  readonly status: number
  readonly cookie: string
  readonly session: string | undefined
}

/** Logs in over a real connection with forwarded headers. */
async function logIn(to: To, user: TestUser, typed: string, headers: Record<string, string>): Promise<Answer> {
  const sending = request({
    ...to,
    method: 'POST',
    path: login.path,
    headers: { 'content-type': 'application/json', host: 'panel.example.org', ...headers },
  })
  sending.end(JSON.stringify({ email: user.email, password: typed }))
  const [response] = await once(sending, 'response')
  const { session } = JSON.parse(await text(response)) as { session?: string }
  return { status: response.statusCode, cookie: String(response.headers['set-cookie']), session }
}

async function build(deps: Parameters<typeof TestPanel.start>[0]): Promise<{ testPanel: TestPanel; port: number }> {
  const testPanel = await TestPanel.start(deps)
  onTestFinished(() => testPanel.stop())
  await testPanel.panel.listen()
  return { testPanel, port: (testPanel.panel.app.server.address() as AddressInfo).port }
}

/** The client address of a user's newest session. */
async function readAddress(
  testPanel: TestPanel,
  user: TestUser,
  session: string | undefined,
): Promise<string | undefined> {
  const { answer } = await testPanel.send(listSessions, {}, { ...user, token: session ?? '' })
  return answer.find(({ isCurrent }) => isCurrent)?.address
}

describe('a local proxy over TCP', () => {
  test('is trusted for client address and scheme', async () => {
    const { testPanel, port } = await build({ trustProxy: ['127.0.0.1'], serverUids: weAreNone })
    const user = await testPanel.createUser()

    const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
    const { session, cookie } = await logIn({ port }, user, password, forwarded)

    expect(await readAddress(testPanel, user, session)).toBe('203.0.113.9')
    expect(cookie).toMatch(/; Secure/)
  })

  test('is not trusted when its process runs as a server: forged addresses do not bypass the rate limit', async () => {
    const { testPanel, port } = await build({ trustProxy: ['127.0.0.1'], serverUids: weAreServers })
    const user = await testPanel.createUser()

    const { session, cookie } = await logIn({ port }, user, password, { 'x-forwarded-proto': 'https' })
    expect(await readAddress(testPanel, user, session)).toBe('127.0.0.1')
    expect(cookie).not.toContain('Secure')
    const statuses = []
    for (let at = 0; at <= maxLoginAttempts; at++) {
      statuses.push((await logIn({ port }, user, 'a wrong one', { 'x-forwarded-for': `10.9.${at}.7` })).status)
    }
    expect(statuses.slice(-2)).toEqual([400, 429])
  })

  test('is warned about only when it sends forwarded headers', async () => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const { testPanel, port } = await build({ trustProxy: ['127.0.0.1'], serverUids: weAreServers, log })
    const user = await testPanel.createUser()

    await logIn({ port }, user, password, {})
    const before = lines.filter((line) => line.includes('X-Forwarded'))
    await logIn({ port }, user, password, { 'x-forwarded-for': '203.0.113.9' })

    expect(before).toEqual([])
    expect(lines.filter((line) => line.includes('X-Forwarded'))).toHaveLength(1)
  })

  test('is not trusted unless configured', async () => {
    const { testPanel, port } = await build({ serverUids: weAreNone })
    const user = await testPanel.createUser()

    const { session } = await logIn({ port }, user, password, { 'x-forwarded-for': '203.0.113.9' })

    expect(await readAddress(testPanel, user, session)).toBe('127.0.0.1')
  })
})

describe('a proxy over a unix socket', () => {
  test('is trusted, and the port is not', async () => {
    const folder = await TestPanel.start()
    onTestFinished(() => folder.stop())
    const socketPath = join(folder.folder, 'proxy', 'panel.sock')
    const { testPanel, port } = await build({ proxySocket: socketPath, serverUids: weAreServers })
    const user = await testPanel.createUser()
    const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }

    const proxied = await logIn({ socketPath }, user, password, forwarded)
    const direct = await logIn({ port }, user, password, forwarded)

    expect(await readAddress(testPanel, user, proxied.session)).toBe('203.0.113.9')
    expect(proxied.cookie).toMatch(/; Secure/)
    expect(await readAddress(testPanel, user, direct.session)).toBe('127.0.0.1')
    expect(statSync(socketPath).mode & 0o777).toBe(0o660)
    expect(statSync(join(folder.folder, 'proxy')).mode & 0o007).toBe(0)
  })

  test('may leave out the address of clients, who then count as one', async () => {
    const folder = await TestPanel.start()
    onTestFinished(() => folder.stop())
    const socketPath = join(folder.folder, 'proxy', 'panel.sock')
    const { testPanel } = await build({ proxySocket: socketPath, serverUids: weAreServers })
    const [user, other] = [await testPanel.createUser(), await testPanel.createUser()]

    const signedIn = await logIn({ socketPath }, user, password, {})
    const withEmpty = await logIn({ socketPath }, user, password, { 'x-forwarded-for': '' })
    const statuses = []
    for (let at = 0; at <= maxLoginAttempts; at++)
      statuses.push((await logIn({ socketPath }, other, 'a wrong one', {})).status)

    expect([signedIn.status, withEmpty.status]).toEqual([200, 200])
    expect(await readAddress(testPanel, user, signedIn.session)).toBe('unknown')
    expect(statuses.slice(-2)).toEqual([400, 429])
  })

  test('can open live consoles', async () => {
    const folder = await TestPanel.start()
    onTestFinished(() => folder.stop())
    const socketPath = join(folder.folder, 'proxy', 'panel.sock')
    const { testPanel } = await build({ proxySocket: socketPath })
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    testPanel.node.onSocket = (socket) => socket.send('first')

    const headers = { authorization: `Bearer ${admin.token}` }
    const socket = new WebSocket(`ws+unix://${socketPath}:/proxy/daemon/socket/${id}`, { headers })
    const [data] = await once(socket, 'message')

    expect(String(data)).toBe('first')
    socket.terminate()
  })

  test('is rejected in a folder that everybody may enter', async () => {
    const folder = await TestPanel.start()
    onTestFinished(() => folder.stop())
    const open = join(folder.folder, 'open')
    mkdirSync(open)
    chmodSync(open, 0o755)
    const testPanel = await TestPanel.start({ proxySocket: join(open, 'panel.sock') })
    onTestFinished(() => testPanel.stop())

    await expect(testPanel.panel.listen()).rejects.toThrow(/All users may enter .*open, including those of servers/)
  })
})

describe('the process of a local peer', () => {
  async function connectPair(host: string): Promise<{ serverSocket: Socket; client: Socket; server: Server }> {
    const server = createServer().listen(0, host)
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, host)
    const [serverSocket] = (await once(server, 'connection')) as [Socket]
    onTestFinished(() => void [serverSocket, client].map((socket) => socket.destroy()))
    return { serverSocket, client, server }
  }

  const getEnds = (socket: Socket) => socket as Socket & Connection

  test.for(['127.0.0.1', '::1'])('is found by its user over %s', async (host) => {
    const { serverSocket } = await connectPair(host)

    expect(isLocal(getEnds(serverSocket))).toBe(true)
    expect(await peerUid(getEnds(serverSocket))).toBe(ownUid)
  })

  test('is unknown after it closed the connection', async () => {
    const { serverSocket, client } = await connectPair('127.0.0.1')
    const { remoteAddress, remotePort, localAddress, localPort } = getEnds(serverSocket)
    client.end()
    serverSocket.resume()
    await once(serverSocket, 'end')

    expect(await peerUid({ remoteAddress, remotePort, localAddress, localPort })).toBeUndefined()
  })

  test('may use IPv4 with an IPv6 socket', () => {
    const line =
      '   3: 0000000000000000FFFF00000100007F:C350 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000 1900000007        0 4711 1 0 20 4 30 10 -1'
    const ends = { remoteAddress: '127.0.0.1', remotePort: 50_000, localAddress: '127.0.0.1', localPort: 8080 }

    expect(socketOfPeer(line, ends)).toEqual({ uid: 1_900_000_007, isEstablished: true, inode: '4711' })
    expect(socketOfPeer(line, { ...ends, remotePort: 50_001 })).toBeUndefined()
  })

  test('is not looked up for another machine', () => {
    expect(isLocal({ remoteAddress: '203.0.113.9' })).toBe(false)
  })
})
