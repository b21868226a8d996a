import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { putSelf } from '@innkeeper/contract/accounts/account'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import { createJoinToken } from '@innkeeper/contract/nodes/join-tokens'
import { getNode, listNodes } from '@innkeeper/contract/nodes/nodes'
import { createServer as createGameServer } from '@innkeeper/contract/servers/new-server'
import { getConsole, getStatus, sendCommand, startServer } from '@innkeeper/contract/servers/node-servers'
import { getServer } from '@innkeeper/contract/servers/servers'
import { test as base, expect, vi } from 'vitest'
import { freePort } from './testing/free-port.ts'
import { InnkeeperProcess } from './testing/innkeeper-process.ts'
import { InterruptibleProxy } from './testing/interruptible-proxy.ts'
import { RemoteNode } from './testing/remote-node.ts'
import { sftp } from './testing/sftp-client.ts'
import { admin, TestInstallation } from './testing/test-installation.ts'

// Two programs are started, and one of them is restarted.
vi.setConfig({ testTimeout: 150_000, hookTimeout: 60_000 })

/** `toPanel` is the connection of nodes to the panel. */
const test = base.extend<{ installation: TestInstallation; toPanel: InterruptibleProxy }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  installation: async ({}, use) => {
    await using installation = await TestInstallation.start()
    await use(installation)
  },
  toPanel: async ({ installation }, use) => {
    await using toPanel = await InterruptibleProxy.listen()
    toPanel.forwardTo(installation.port)
    await use(toPanel)
  },
})

const echo = { type: 'test', data: {}, run: { command: 'cat' }, environment: { type: 'standard' } }

async function isTunnelled(installation: TestInstallation, { id }: RemoteNode): Promise<boolean> {
  return (await installation.send(getNode, { params: { id } })).health?.isTunnelled === true
}

/** A running server that prints its input, and what its console has said. */
async function startEcho(installation: TestInstallation, node: RemoteNode) {
  const params = await installation.send(createGameServer, { body: { ...echo, name: 'echo', node: node.id } })
  await installation.send(startServer, { params, query: { wait: 'true' } })
  const readConsole = async () => (await installation.send(getConsole, { params, query: { time: '0' } })).logs
  return { params, readConsole }
}

test('a node behind NAT works without an open port: calls, console, uploads and downloads', async ({
  installation,
  toPanel,
}) => {
  const settings = { panelUrl: `http://127.0.0.1:${toPanel.port}` }
  await using node = await RemoteNode.join(installation, settings, undefined, { isBehindNat: true })
  await vi.waitFor(async () => expect(await isTunnelled(installation, node)).toBe(true), { timeout: 30_000 })
  const { params, readConsole } = await startEcho(installation, node)
  const url = `/proxy/daemon/server/${params.id}/file/a%20world.dat`
  const content = randomBytes(40_000_000)

  // A viewer sees the console live.
  const viewer = new WebSocket(`${installation.url.replace('http', 'ws')}/proxy/daemon/socket/${params.id}`, {
    headers: { authorization: `Bearer ${installation.token}` },
  })
  let seen = ''
  viewer.addEventListener('message', ({ data }) => {
    seen += String(data)
  })
  await once(viewer, 'open')
  viewer.send(JSON.stringify({ type: 'console', command: 'are you there' }))
  await vi.waitFor(() => expect(seen).toContain('are you there'), { timeout: 10_000 })

  expect((await installation.fetch(url, { method: 'PUT', body: content })).status).toBe(204)
  expect(Buffer.from(await (await installation.fetch(url)).arrayBuffer()).equals(content)).toBe(true)

  // A reader that stops holds up no other request.
  const stopped = await installation.fetch(url)
  for (let i = 0; i < 20; i++) await installation.send(getStatus, { params })
  // A download that is cut off fails, and a connection that ends without notice is detected.
  toPanel.cut()
  await expect(stopped.arrayBuffer()).rejects.toThrow()
  await vi.waitFor(() => expect(viewer.readyState).toBe(WebSocket.CLOSED), { timeout: 30_000 })
  toPanel.restore()
  await vi.waitFor(() => installation.send(getStatus, { params }), { timeout: 60_000 })

  await installation.stop('SIGKILL')
  await installation.restart()
  await vi.waitFor(() => installation.send(sendCommand, { params, body: 'still here' }), { timeout: 60_000 })
  await vi.waitFor(async () => expect(await readConsole()).toContain('still here'), { timeout: 10_000 })
})

test('the SFTP port of the panel serves servers behind NAT, until the permission is removed', async ({
  installation,
}) => {
  await using node = await RemoteNode.join(installation, {}, undefined, { isBehindNat: true })
  const params = await installation.send(createGameServer, { body: { ...echo, name: 'echo', node: node.id } })
  const { server } = await installation.send(getServer, { params, query: {} })
  expect(server.node).toMatchObject({ sftpHost: '127.0.0.1', sftpPort: installation.sftpPort })
  const content = randomBytes(20_000_000)
  await writeFile(join(installation.folder, 'up'), content)
  const user = getSftpUser(admin.email, params.id)

  const { code, out } = await sftp(installation, user, `lcd ${installation.folder}\nput up world\nget world down\nls\n`)

  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('world') })
  expect((await readFile(join(installation.folder, 'down'))).equals(content)).toBe(true)
  expect((await sftp(installation, user, 'ls\n', [], 'a wrong password')).code).not.toBe(0)
  await vi.waitFor(
    async () => {
      const { activity } = await installation.send(listActivity, { query: { server: params.id } })
      expect(activity.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['server.sftp.login', 'server.sftp.write']),
      )
    },
    { timeout: 20_000 },
  )

  const open = sftp(installation, user, '!sleep 10\nls\n')
  await vi.waitFor(() => expect(installation.output.split('an SFTP session has begun')).toHaveLength(3), {
    timeout: 20_000,
  })
  await installation.send(putSelf, { body: { password: admin.password, newPassword: 'another lantern' } })
  expect((await open).out).not.toContain('world')
})

test('a node opens a tunnel when its address does not respond any more, and is reached directly when it does', async ({
  installation,
}) => {
  await using node = await RemoteNode.join(installation)
  const { params } = await startEcho(installation, node)
  expect(await isTunnelled(installation, node)).toBe(false)

  node.line.cut()
  await vi.waitFor(() => installation.send(getStatus, { params }), { timeout: 60_000 })
  await vi.waitFor(async () => expect(await isTunnelled(installation, node)).toBe(true), { timeout: 60_000 })

  node.line.restore()
  await vi.waitFor(async () => expect(await isTunnelled(installation, node)).toBe(false), { timeout: 60_000 })
  await installation.send(getStatus, { params })
})

test('a machine with a join token registers itself under the name of its host', async ({ installation }) => {
  const { config } = await installation.send(createJoinToken, { body: { uses: 1, hours: 1 } })
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-joining-'))
  const ports = { nodePort: await freePort(), sftpPort: await freePort() }
  const places = { dataDir: join(folder, 'data'), nodeHost: '127.0.0.1', sftpHost: '127.0.0.1' }
  await writeFile(join(folder, 'config.json'), JSON.stringify({ ...JSON.parse(config), ...ports, ...places }))
  const start = () => InnkeeperProcess.start({ INNKEEPER_CONFIG: join(folder, 'config.json') })
  const findNodes = async () => (await installation.send(listNodes, {})).filter(({ isLocal }) => !isLocal)

  let machine = await start()
  await vi.waitFor(async () => expect((await findNodes())[0]?.health?.state).toBe('online'), { timeout: 30_000 })
  await machine.stop('SIGTERM')
  machine = await start()
  await vi.waitFor(async () => expect((await findNodes())[0]?.health?.state).toBe('online'), { timeout: 30_000 })

  expect(await findNodes()).toHaveLength(1)
  await machine.stop('SIGTERM')
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

test('where a proxy passes only WebSockets, the tunnel is one', async ({ installation }) => {
  await using proxy = await WebSocketProxy.listen(installation.port)
  const settings = { panelUrl: `http://127.0.0.1:${proxy.port}` }
  await using node = await RemoteNode.join(installation, settings, undefined, { isBehindNat: true })
  const { params, readConsole } = await startEcho(installation, node)
  const url = `/proxy/daemon/server/${params.id}/file/world.dat`
  const content = randomBytes(10_000_000)

  await installation.send(sendCommand, { params, body: 'are you there' })
  await vi.waitFor(async () => expect(await readConsole()).toContain('are you there'), { timeout: 10_000 })
  expect((await installation.fetch(url, { method: 'PUT', body: content })).status).toBe(204)
  expect(Buffer.from(await (await installation.fetch(url)).arrayBuffer()).equals(content)).toBe(true)
  expect(proxy.upgrades.slice(0, 2)).toEqual(['innkeeper-tunnel', 'websocket'])
})

/** A proxy that refuses every upgrade except that to a WebSocket. */
class WebSocketProxy implements AsyncDisposable {
  /** The protocols that clients have asked for. */
  readonly upgrades: string[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(to: number) {
    this.#server = createServer((request, response) => {
      const options = { method: request.method, headers: request.headers }
      void fetch(`http://127.0.0.1:${to}${request.url}`, {
        ...options,
        headers: { ...(request.headers as Record<string, string>), connection: 'close' },
        ...(request.method === 'POST' && { body: request, duplex: 'half' }),
      } as unknown as RequestInit)
        .then(async (answer) => {
          const body = Buffer.from(await answer.arrayBuffer())
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
        })
        .catch(() => response.destroy())
    })
    this.#server.on('upgrade', (request, socket, head) => {
      const protocol = request.headers.upgrade ?? ''
      this.upgrades.push(protocol)
      socket.on('error', () => {})
      if (protocol !== 'websocket') {
        socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
        return
      }
      const upstream = connect(to, '127.0.0.1')
      this.#sockets.add(upstream).add(socket as Socket)
      upstream.on('error', () => socket.destroy())
      const lines = [`GET ${request.url} HTTP/1.1`]
      for (let i = 0; i < request.rawHeaders.length; i += 2)
        lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`)
      upstream.write(`${lines.join('\r\n')}\r\n\r\n`)
      upstream.write(head)
      upstream.pipe(socket).pipe(upstream)
    })
  }

  static async listen(to: number): Promise<WebSocketProxy> {
    const proxy = new WebSocketProxy(to)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' ? (address?.port ?? 0) : 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
