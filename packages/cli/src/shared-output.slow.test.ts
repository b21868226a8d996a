import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { socketPurpose } from '@innkeeper/contract/node-link/ticket'
import type { ServerMessage } from '@innkeeper/contract/servers/live'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getConsole, restartServer, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { connect } from '@innkeeper/panel/database/database'
import { NodeClient } from '@innkeeper/panel/nodes/client/node-client'
import { localTransport } from '@innkeeper/panel/nodes/client/node-transport'
import { ticketSigner } from '@innkeeper/panel/nodes/client/tickets'
import { signingKeys } from '@innkeeper/panel/nodes/signing-keys'
import { expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { RemoteNode } from './testing/remote-node.ts'
import { TestInstallation } from './testing/test-installation.ts'

const countProgram = fileURLToPath(new URL('../../daemon/src/testing/programs/count.mjs', import.meta.url))
const counter = (...args: readonly number[]) => ({
  type: 'test',
  data: {},
  run: { command: `${process.execPath} ${countProgram} ${args.join(' ')}`, stop: 'stop' },
  environment: { type: 'standard' },
})
const pollOptions = { timeout: 60_000 }

/** Follows a console, and reconnects at its position like the web app. */
class Follower implements Disposable {
  /** The bytes since the first position. */
  text = ''
  from: number | undefined
  position = Number.NaN
  /** Positions that were not where the previous output ended. */
  readonly jumps: number[] = []
  readonly #open: () => Promise<WebSocket>
  #socket: WebSocket | undefined
  #isReplayed = false
  #isClosed = false

  constructor(open: () => Promise<WebSocket>) {
    this.#open = open
  }

  async follow(): Promise<void> {
    const socket = await this.#open()
    this.#socket = socket
    this.#isReplayed = false
    socket.on('message', (data) => this.#read(JSON.parse(String(data)) as ServerMessage))
    socket.on('close', () => void this.#reconnect())
    socket.resume()
    this.replay(this.from === undefined ? {} : { from: this.position })
  }

  replay(request: { from?: number }): void {
    this.#isReplayed = false
    this.#socket?.send(JSON.stringify({ type: 'replay', ...request }))
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#socket?.terminate()
  }

  async #reconnect(): Promise<void> {
    if (this.#isClosed) return
    await new Promise((resolve) => setTimeout(resolve, 100))
    await this.follow().catch(() => this.#reconnect())
  }

  #read(message: ServerMessage): void {
    if (message.type === 'replay') {
      this.#isReplayed = true
      this.from ??= message.data.from
      if (!(message.data.from >= this.position)) this.position = message.data.from
      this.text = this.text.slice(0, this.position - this.from)
    }
    // Output before the response is part of the replay.
    if (message.type !== 'console' || !this.#isReplayed) return
    const { logs, from, to } = message.data
    if (from !== this.position) this.jumps.push(from)
    this.text += logs.join('')
    this.position = to
  }
}

async function openThroughPanel(installation: TestInstallation, id: string): Promise<WebSocket> {
  const url = `${installation.url.replace('http', 'ws')}/proxy/daemon/socket/${id}`
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${installation.token}` } })
  socket.on('error', () => {})
  await Promise.race([once(socket, 'open'), once(socket, 'close').then(() => Promise.reject(new Error('closed')))])
  socket.pause()
  return socket
}

test('viewers of a panel, also those who join or replay during output, get the same bytes as one with its own socket', async () => {
  await using installation = await TestInstallation.start()
  const { id } = await installation.send(createServer, { body: { ...counter(4_000, 20_000), name: 'count', node: 0 } })
  const db = await connect(`sqlite:${join(installation.folder, 'data', 'panel.db')}`)
  const keys = await signingKeys({ db, reports: { keysKnownOnline: async () => [] }, now: Date.now })
  const socketPath = join(installation.folder, 'data', 'run', 'node.sock')
  const client = new NodeClient({ nodeId: 0, transport: localTransport(socketPath) }, ticketSigner(keys, Date.now))
  const open = (): Promise<WebSocket> => openThroughPanel(installation, id)
  using own = new Follower(() => client.openSocket({ permissions: ['viewServerConsole'] }, id, socketPurpose))
  using stack = new DisposableStack()
  const viewers: Follower[] = []
  const joinOne = async () => {
    const viewer = stack.use(new Follower(open))
    viewers.push(viewer)
    await viewer.follow()
  }
  await own.follow()
  for (let count = 0; count < 3; count++) await joinOne()

  await installation.send(startServer, { params: { id }, query: {} })
  for (let lines = 2_000; lines < 18_000; lines += 2_000) {
    await vi.waitUntil(() => own.text.includes(`\n${lines}\n`), pollOptions)
    await joinOne()
    const again = viewers[(lines / 2_000) % viewers.length]
    again?.replay(lines % 4_000 === 0 ? {} : { from: again.position })
  }
  const ends = (viewer: Follower) => viewer.text.includes('Server exited with code 7')
  await vi.waitUntil(() => [own, ...viewers].every(ends), pollOptions)

  const { logs, from } = await installation.send(getConsole, { params: { id }, query: { from: 0 } })
  expect({ text: own.text, from: own.from, jumps: own.jumps }).toEqual({ text: logs, from, jumps: [] })
  for (const viewer of viewers)
    expect({ text: viewer.text, from: viewer.from, jumps: viewer.jumps }).toEqual({ text: logs, from, jumps: [] })
  await client.close()
  await db.destroy()
})

test('viewers miss and double nothing when the server, the node or the panel restarts', async () => {
  await using installation = await TestInstallation.start()
  await using node = await RemoteNode.join(installation)
  const { id } = await installation.send(createServer, { body: { ...counter(200), name: 'count', node: node.id } })
  using stack = new DisposableStack()
  const viewers = Array.from({ length: 4 }, () => stack.use(new Follower(() => openThroughPanel(installation, id))))
  for (const viewer of viewers) await viewer.follow()
  const untilNew = async (text: string) => {
    const seen = viewers.map((viewer) => viewer.text.length)
    const hasNew = (viewer: Follower, at: number) => viewer.text.slice(seen[at]).includes(text)
    await vi.waitUntil(() => viewers.every(hasNew), pollOptions)
  }

  await installation.send(startServer, { params: { id }, query: {} })
  await untilNew('\n100\n')
  const restarted = untilNew('\n1\n2\n')
  await installation.send(restartServer, { params: { id }, query: {} })
  await restarted
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await node.end(signal)
    await node.start()
    await untilNew('0\n')
  }
  await installation.stop('SIGKILL')
  await installation.restart()
  await untilNew('0\n')
  const ended = untilNew('Server exited')
  await installation.send(stopServer, { params: { id }, query: {} })
  await ended

  const { logs, from } = await installation.send(getConsole, { params: { id }, query: { from: 0 } })
  for (const viewer of viewers)
    expect({ text: viewer.text, from: viewer.from, jumps: viewer.jumps }).toEqual({ text: logs, from, jumps: [] })
})
