import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Product } from './product.ts'
import { each, until } from './waiting.ts'

/** Longer than output is gathered, so that each line comes to a quiet console. */
const everyMs = 500
const lateMs = 10_000
const openMs = 20_000

/** Told `turn count` it prints so many lines: the turn, their number in it, and the time of the machine's own clock. */
export const ticking = `import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const [turn, count] = line.split(' ').map(Number)
  let at = 0
  const timer = setInterval(() => {
    console.log(['tick', turn, at, process.hrtime.bigint()].join(' '))
    if (++at === count) clearInterval(timer)
  }, ${everyMs})
}
`

/** What viewers saw of lines that were printed for them. */
export interface Heard {
  readonly delays: readonly number[]
  readonly wanted: number
  readonly doubled: number
}

/** Many who look at consoles through the panel. */
export class Viewers implements AsyncDisposable {
  readonly #product: Product
  #viewers: readonly Viewer[] = []
  #turn = 0

  constructor(product: Product) {
    this.#product = product
  }

  /** How many of them are still connected. */
  get connected(): number {
    return this.#viewers.filter(({ isOpen }) => isOpen).length
  }

  /** How many came to look at one of these servers. */
  before(servers: ReadonlySet<string>): number {
    return this.#viewers.filter(({ server }) => servers.has(server)).length
  }

  /** Sends away who was there, and has one look at each of these servers, of which some may be named many times. */
  async open(servers: readonly string[]): Promise<void> {
    await this.close()
    const viewers: Viewer[] = []
    this.#viewers = viewers
    await each(servers, 10, async (server) => {
      // The panel may still count one that has just left.
      await until(
        'a viewer is let in',
        async () => {
          const viewer = await Viewer.open(this.#product, server)
          if (viewer) viewers.push(viewer)
          return viewer !== undefined
        },
        openMs,
      )
    })
  }

  /** Has these servers print lines, so many each, and waits until all who look at them have seen all. */
  async hear(servers: readonly string[], lines: number): Promise<Heard> {
    const turn = ++this.#turn
    const watching = this.#viewers.filter(({ server, isOpen }) => isOpen && servers.includes(server))
    for (const viewer of watching) viewer.listenTo(turn)
    for (const server of servers) watching.find((viewer) => viewer.server === server)?.type(`${turn} ${lines}`)
    const wanted = watching.length * lines
    const seen = () => watching.reduce((sum, { delays }) => sum + delays.size, 0)
    const end = performance.now() + lines * everyMs + lateMs
    while (seen() < wanted && performance.now() < end) await pause(100)
    const doubled = watching.reduce((sum, viewer) => sum + viewer.doubled, 0)
    return { delays: watching.flatMap(({ delays }) => [...delays.values()]), wanted, doubled }
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
  /** How long lines of this turn were under way, in milliseconds, by their number. */
  readonly delays = new Map<number, number>()
  doubled = 0
  readonly #socket: WebSocket
  #turn = 0
  #rest = ''

  private constructor(socket: WebSocket, server: string) {
    this.#socket = socket
    this.server = server
    socket.on('message', (data) => this.#hear(String(data)))
    // The close that follows says all there is to say.
    socket.on('error', () => {})
  }

  /** Nothing when it is not let in. */
  static async open(product: Product, server: string): Promise<Viewer | undefined> {
    const socket = new WebSocket(`${product.url.replace('http', 'ws')}/proxy/daemon/socket/${server}`, {
      headers: { authorization: `Bearer ${product.token}` },
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

  listenTo(turn: number): void {
    this.#turn = turn
    this.delays.clear()
    this.doubled = 0
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

  #hear(text: string): void {
    const now = process.hrtime.bigint()
    const { type, data } = JSON.parse(text) as { type: string; data: { logs?: readonly string[] } }
    if (type !== 'console') return
    const lines = (this.#rest + (data.logs ?? []).join('')).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, turn, number, printed] = /^tick (\d+) (\d+) (\d+)\r?$/.exec(line) ?? []
      if (printed === undefined || Number(turn) !== this.#turn) continue
      if (this.delays.has(Number(number))) this.doubled++
      this.delays.set(Number(number), Number(now - BigInt(printed)) / 1e6)
    }
  }
}
