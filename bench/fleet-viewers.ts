import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { forEachConcurrent, waitUntil } from './async.ts'
import type { TestInstallation } from './test-installation.ts'

/** Longer than the interval in which output is batched, so that each line is sent on its own. */
export const printIntervalMs = 500
const lateMs = 10_000
const openMs = 20_000

/** On the input `turn count`, prints `count` lines with turn, number and monotonic time. */
export const printingProgram = `import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const [turn, count] = line.split(' ').map(Number)
  let at = 0
  const timer = setInterval(() => {
    console.log(['tick', turn, at, process.hrtime.bigint()].join(' '))
    if (++at === count) clearInterval(timer)
  }, ${printIntervalMs})
}
`

/** Lines that viewers received in one turn. */
export interface ReceivedOutput {
  readonly delays: readonly number[]
  readonly expected: number
  readonly duplicates: number
}

/** Viewers of consoles through the panel. */
export class Viewers implements AsyncDisposable {
  readonly #installation: TestInstallation
  #viewers: readonly Viewer[] = []
  #turn = 0

  constructor(installation: TestInstallation) {
    this.#installation = installation
  }

  /** The number of connected viewers. */
  get connected(): number {
    return this.#viewers.filter(({ isOpen }) => isOpen).length
  }

  /** The number of viewers of these servers. */
  countOn(servers: ReadonlySet<string>): number {
    return this.#viewers.filter(({ server }) => servers.has(server)).length
  }

  /** Replaces all viewers: one for each entry; a server can occur several times. */
  async open(servers: readonly string[]): Promise<void> {
    await this.close()
    const viewers: Viewer[] = []
    this.#viewers = viewers
    await forEachConcurrent(servers, 10, async (server) => {
      // The panel may still count a viewer that has just disconnected.
      await waitUntil(
        'a viewer is connected',
        async () => {
          const viewer = await Viewer.open(this.#installation, server)
          if (viewer) viewers.push(viewer)
          return viewer !== undefined
        },
        openMs,
      )
    })
  }

  /** Makes these servers print lines, and waits until their viewers have received all of them. */
  async measureOutput(servers: readonly string[], lines: number): Promise<ReceivedOutput> {
    const turn = ++this.#turn
    const viewers = this.#viewers.filter(({ server, isOpen }) => isOpen && servers.includes(server))
    for (const viewer of viewers) viewer.startTurn(turn)
    for (const server of servers) viewers.find((viewer) => viewer.server === server)?.type(`${turn} ${lines}`)
    const expected = viewers.length * lines
    const received = () => viewers.reduce((sum, { delays }) => sum + delays.size, 0)
    const deadline = performance.now() + lines * printIntervalMs + lateMs
    while (received() < expected && performance.now() < deadline) await pause(100)
    const duplicates = viewers.reduce((sum, viewer) => sum + viewer.duplicates, 0)
    return { delays: viewers.flatMap(({ delays }) => [...delays.values()]), expected, duplicates }
  }

  async close(): Promise<void> {
    await Promise.all(this.#viewers.map((viewer) => viewer.close()))
    this.#viewers = []
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

class Viewer {
  readonly server: string
  /** Latency of each line of this turn in milliseconds, by number. */
  readonly delays = new Map<number, number>()
  duplicates = 0
  readonly #socket: WebSocket
  #turn = 0
  #rest = ''

  private constructor(socket: WebSocket, server: string) {
    this.#socket = socket
    this.server = server
    socket.on('message', (data) => this.#receive(String(data)))
    // A `close` event follows.
    socket.on('error', () => {})
  }

  /** Undefined if the connection is refused. */
  static async open(installation: TestInstallation, server: string): Promise<Viewer | undefined> {
    const socket = new WebSocket(`${installation.url.replace('http', 'ws')}/proxy/daemon/socket/${server}`, {
      headers: { authorization: `Bearer ${installation.token}` },
      handshakeTimeout: openMs,
    })
    const viewer = new Viewer(socket, server)
    return await once(socket, 'open').then(
      () => viewer,
      () => undefined,
    )
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  startTurn(turn: number): void {
    this.#turn = turn
    this.delays.clear()
    this.duplicates = 0
  }

  type(command: string): void {
    this.#socket.send(JSON.stringify({ type: 'console', command }))
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return
    const closed = once(this.#socket, 'close')
    this.#socket.close()
    await closed
  }

  #receive(text: string): void {
    const now = process.hrtime.bigint()
    const { type, data } = JSON.parse(text) as { type: string; data: { logs?: readonly string[] } }
    if (type !== 'console') return
    const lines = (this.#rest + (data.logs ?? []).join('')).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, turn, number, printed] = /^tick (\d+) (\d+) (\d+)\r?$/.exec(line) ?? []
      if (printed === undefined || Number(turn) !== this.#turn) continue
      if (this.delays.has(Number(number))) this.duplicates++
      this.delays.set(Number(number), Number(now - BigInt(printed)) / 1e6)
    }
  }
}
