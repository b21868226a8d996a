import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { leaseMs, statesPerMessage } from '@innkeeper/contract/node-link/server-states'
import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import type { GameQueries } from '../../players/game-queries.ts'
import type { Registry } from '../../servers/registry.ts'

/** Interval at which usage is compared with what was sent. A change of a status is sent at once. */
const usageMs = 1_000
/** A panel that reads slower is disconnected. */
const maxUnreadBytes = 16 * 1024 * 1024

interface Deps {
  readonly servers: Pick<Registry, 'servers' | 'onChange'>
  /** A panel that reads states looks at players. */
  readonly games: Pick<GameQueries, 'look'>
  readonly log: Logger
}

/** Sends the states of all servers to panels; see `server-states.ts` in the contract. */
export class StateStreams {
  readonly #deps: Deps
  readonly #streams = new Set<StateStream>()
  /** What panels know, as JSON by server. */
  #sent = new Map<string, string>()
  #isDirty = false
  /** While there are streams. */
  #watch: { readonly stop: () => void; readonly usage: PeriodicJob } | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Sends all states, and then what changes. */
  add(socket: WebSocket): void {
    this.#watch ??= this.#startWatch()
    this.#send()
    const stream = new StateStream(socket, () => this.#remove(stream))
    this.#streams.add(stream)
    for (const message of getMessages([...this.#sent.values()], [])) stream.send(message)
  }

  /** Resolves when no panel shows an older state than the current one. */
  async confirm(): Promise<void> {
    if (this.#isDirty) this.#send()
    await Promise.all([...this.#streams].map((stream) => stream.confirm()))
  }

  async close(): Promise<void> {
    this.#watch?.stop()
    await this.#watch?.usage.close()
  }

  #startWatch() {
    const { servers, games, log } = this.#deps
    const usage = new PeriodicJob({
      everyMs: usageMs,
      run: async () => {
        games.look()
        this.#send()
      },
      onError: (err) => log.error({ err }, 'failed to send the states of servers to panels'),
    }).start()
    return { stop: servers.onChange(() => this.#onChange()), usage }
  }

  #remove(stream: StateStream): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    void this.close()
    this.#watch = undefined
  }

  #onChange(): void {
    if (this.#isDirty) return
    this.#isDirty = true
    // Several servers change at once.
    setImmediate(() => {
      if (this.#isDirty) this.#send()
    })
  }

  #send(): void {
    this.#isDirty = false
    const current = this.#read()
    const changed = [...current].flatMap(([id, usage]) => (this.#sent.get(id) === usage ? [] : [usage]))
    const removed = [...this.#sent.keys()].filter((id) => !current.has(id))
    this.#sent = current
    for (const message of getMessages(changed, removed)) for (const stream of this.#streams) stream.send(message)
  }

  #read(): Map<string, string> {
    return new Map(this.#deps.servers.servers.map(({ id, usage }) => [id, JSON.stringify(usage)]))
  }
}

/** `changed` are servers as JSON, `removed` are IDs. */
function* getMessages(changed: readonly string[], removed: readonly string[]): Generator<string> {
  for (let at = 0; at < Math.max(changed.length, removed.length); at += statesPerMessage) {
    const end = at + statesPerMessage
    yield `{"servers":[${changed.slice(at, end).join()}],"removed":${JSON.stringify(removed.slice(at, end))}}`
  }
}

/** The stream to one panel. */
class StateStream {
  readonly #socket: WebSocket
  readonly #waiting = new Set<{ readonly sent: number; readonly resolve: () => void }>()
  /** What the panel knows is current for it until then, by `performance.now()`. */
  #leaseEnd = 0
  /** The number of messages. */
  #sent = 0
  #confirmed = 0

  /** `onEnd` is called when the panel no longer uses what it knows. */
  constructor(socket: WebSocket, onEnd: () => void) {
    this.#socket = socket
    socket.on('ping', () => {
      this.#leaseEnd = performance.now() + leaseMs
    })
    socket.on('pong', (data) => this.#onPong(Number(data.toString())))
    socket.on('error', () => socket.terminate())
    socket.once('close', (code) => {
      // Without a close frame the panel may not know that the connection is broken.
      if (code !== 1006) this.#endLease()
      setTimeout(onEnd, this.#leaseMsLeft).unref()
    })
  }

  get #leaseMsLeft(): number {
    return Math.max(0, this.#leaseEnd - performance.now())
  }

  send(message: string): void {
    this.#sent++
    this.#socket.send(message, () => {
      // An error is followed by the close event.
    })
    if (this.#socket.bufferedAmount > maxUnreadBytes) this.#socket.terminate()
  }

  /** Resolves when the panel has received what was sent, or its lease has ended. */
  confirm(): Promise<void> {
    if (this.#confirmed >= this.#sent || this.#leaseMsLeft === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        resolve()
      }
      // A later lease begins with a pong, which arrives after what was sent.
      const timer = setTimeout(end, this.#leaseMsLeft)
      const waiting = { sent: this.#sent, resolve: end }
      this.#waiting.add(waiting)
      this.#socket.ping(String(this.#sent))
    })
  }

  #endLease(): void {
    this.#leaseEnd = 0
    for (const { resolve } of this.#waiting) resolve()
  }

  #onPong(sent: number): void {
    this.#confirmed = Math.max(this.#confirmed, sent)
    for (const waiting of this.#waiting) if (waiting.sent <= sent) waiting.resolve()
  }
}
