import { limits } from '@innkeeper/contract/limits'
import type { ClientMessage, ConsoleOutput, ServerMessage } from '@innkeeper/contract/live'
import type { ServerRight } from '@innkeeper/contract/permissions'
import type { Refusal } from '@innkeeper/contract/refusals'
import type { ServerStats, ServerStatus } from '@innkeeper/contract/status'
import { type Connection, isGivenUp } from './connection.ts'
import { type Fed, type Reading, readOutput, readPolled, readReplay, unread } from './console-feed.ts'
import { LiveSocket, type Socket } from './live-socket.ts'
import { emptyHistory, type StatsHistory, type StatsPoint, withPast, withPoint } from './stats-history.ts'

/** Where console output goes. */
export interface ConsoleSink {
  /** `epoch` is when it was printed, in seconds; `undefined` when that is not known. */
  write(text: string, epoch: number | undefined): void
  gap(bytes: number): void
  startOver(): void
}

/** The plain calls that do the socket's work while there is none. A refusal rejects. */
export interface PlainCalls {
  status(signal: AbortSignal): Promise<ServerStatus>
  stats(signal: AbortSignal): Promise<ServerStats>
  /** Output from a position on, or all that is held. */
  console(
    from: number | undefined,
    signal: AbortSignal,
  ): Promise<Omit<ConsoleOutput, 'logs'> & { readonly logs: string }>
  /** What the server used lately, the oldest first. */
  past(signal: AbortSignal): Promise<readonly StatsPoint[]>
  /** Does what a message that asks for something asks for. */
  send(message: ClientMessage): Promise<void>
}

/** What a browser tells about the page: whether somebody sees it, and when the network came back. */
export interface PageLife {
  isVisible(): boolean
  onChange(listener: () => void): () => void
}

export interface ServerLiveNeeds {
  readonly open: () => Socket
  readonly calls: PlainCalls
  readonly page: PageLife
  readonly console: ConsoleSink
  readonly may: (right: ServerRight) => boolean
  /** Gets every no that nobody waits for. */
  readonly onRefused: (refusal: unknown) => void
  /** Who did not answer, when a failure means that somebody did not. */
  readonly unreachableIn: (failure: unknown) => Unreachable['who'] | undefined
  /** A no that came over the socket. */
  readonly refusalOf: (error: Extract<ServerMessage, { type: 'error' }>['data']) => Refusal
  /** How long a connection that was given up rests between tries, while plain calls get through. */
  readonly tryAgainMs?: number
}

/** Why nothing new is known: the panel, or the node behind it, has not answered since then (epoch milliseconds). */
export interface Unreachable {
  readonly who: 'panel' | 'node'
  readonly since: number
}

/** The pause between polls while nobody answers grows up to this. */
const longestPollMs = 30_000
/** Timers are late by a little: what is due within this is due. */
const slackMs = 1_000

/** What is known of a server right now; replaced whole when something changes. */
export interface LiveView {
  readonly connection: Connection
  readonly status: ServerStatus | undefined
  readonly stats: StatsHistory
  readonly unreachable: Unreachable | undefined
}

/**
 * A server as its page watches it: over the live socket while that is open, with plain calls while it is not.
 * It owns the socket, the polling and the reading position of the console.
 */
export class ServerLive {
  readonly #needs: ServerLiveNeeds
  readonly #socket: LiveSocket
  readonly #listeners = new Set<() => void>()
  readonly #abort = new AbortController()
  readonly #forgetPage: () => void
  readonly #statsTimer: ReturnType<typeof setInterval>
  readonly #pollTimer: ReturnType<typeof setInterval>
  #view: LiveView
  #reading: Reading = unread
  #lastHeard = Date.now()
  #polled = false
  #polling = false
  #statsAsked = false
  /** Polls in a row that nobody answered, and when the next one is due. */
  #unanswered = 0
  #pollDueAt = 0
  #lastTryAt = 0
  /** Nobody answered at some time since the connection was given up. */
  #wasUnreachable = false

  constructor(needs: ServerLiveNeeds) {
    this.#needs = needs
    this.#view = {
      connection: { is: 'connecting', failures: 0 },
      status: undefined,
      stats: emptyHistory(Date.now()),
      unreachable: undefined,
    }
    this.#socket = new LiveSocket({
      open: needs.open,
      onMessage: (message) => this.#receive(message),
      onChange: (connection) => this.#connected(connection),
      onUnsent: (message) => this.#sendPlainly(message),
    })
    this.#forgetPage = needs.page.onChange(() => this.#pageChanged())
    this.#statsTimer = setInterval(() => this.#askStats(), limits.statsEveryMs)
    this.#pollTimer = setInterval(() => {
      if (Date.now() >= this.#pollDueAt) void this.#poll()
    }, limits.consolePollMs)
    void this.#readPast()
  }

  /** For `useSyncExternalStore`. */
  readonly view = (): LiveView => this.#view

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Sends a command to the server's console, over the socket or with a plain call. */
  command(command: string): void {
    this.#send({ type: 'console', command })
  }

  /** Asks for the state again: a call may just have changed it. */
  refresh(): void {
    if (this.#socket.connection.is === 'open') this.#send({ type: 'status' })
    else void this.#poll()
  }

  reconnect(): void {
    this.#pollDueAt = 0
    this.#socket.reconnect()
  }

  /** Ends everything: socket, timers, calls under way. */
  close(): void {
    this.#forgetPage()
    clearInterval(this.#statsTimer)
    clearInterval(this.#pollTimer)
    this.#abort.abort()
    this.#listeners.clear()
    this.#socket.close()
  }

  #send(message: ClientMessage): void {
    if (!this.#socket.send(message)) this.#sendPlainly(message)
  }

  #sendPlainly(message: ClientMessage): void {
    this.#needs.calls.send(message).catch((failure: unknown) => this.#needs.onRefused(failure))
  }

  #connected(connection: Connection): void {
    const before = this.#view.connection
    this.#change({ connection })
    if (connection.is === 'open' && before.is !== 'open') {
      this.#socket.send({ type: 'status' })
      this.#replay()
      this.#askStats()
    }
    if (connection.is === 'closed' && this.#view.status === undefined) void this.#poll()
    if (connection.is === 'failed') {
      this.#lastTryAt = Date.now()
      // A single try after that leaves polling as it is.
      if (!isGivenUp(before)) void this.#poll()
    }
  }

  /** Begins the statistics with what the node measured before the page was opened. */
  async #readPast(): Promise<void> {
    if (!this.#needs.may('viewServerStats')) return
    try {
      const past = await this.#needs.calls.past(this.#abort.signal)
      this.#change({ stats: withPast(this.#view.stats, past) })
    } catch (failure) {
      // The statistics then begin now; that nobody answers is worth knowing.
      this.#failed(failure)
    }
  }

  #replay(): void {
    if (!this.#needs.may('viewServerConsole')) return
    this.#polled = false
    this.#reading = { at: this.#reading.at, awaitingReplay: true }
    this.#socket.send(this.#reading.at === undefined ? { type: 'replay' } : { type: 'replay', from: this.#reading.at })
  }

  #receive(message: ServerMessage): void {
    this.#heard()
    switch (message.type) {
      case 'console':
        this.#feed(readOutput(this.#reading, message.data))
        break
      case 'replay':
        this.#feed(readReplay(this.#reading, message.data))
        break
      case 'status':
        this.#change({ status: message.data })
        break
      case 'stat':
        this.#statsAsked = false
        // A server that is off is answered for with zeros that nobody measured.
        this.#point(message.data, this.#view.status?.running === false)
        break
      case 'error':
        this.#needs.onRefused(this.#needs.refusalOf(message.data))
        break
      case 'pong':
        break
    }
  }

  #feed({ reading, feed, replayAll }: Fed): void {
    this.#reading = reading
    for (const piece of feed) {
      if (piece.kind === 'text') this.#needs.console.write(piece.text, piece.epoch)
      else if (piece.kind === 'gap') this.#needs.console.gap(piece.bytes)
      else this.#needs.console.startOver()
    }
    if (replayAll) this.#socket.send({ type: 'replay' })
  }

  #pageChanged(): void {
    if (!this.#needs.page.isVisible()) return
    const { is } = this.#socket.connection
    if (is === 'open') {
      // The socket may have died while the device slept: the answer, or its absence, tells.
      this.#socket.probe()
      if (this.#socket.connection.is === 'open') {
        this.#socket.send({ type: 'status' })
        this.#replay()
      }
    } else if (is === 'failed' || is === 'closed') this.#socket.reconnect()
    this.#askStats()
  }

  #askStats(): void {
    if (!this.#needs.may('viewServerStats') || !this.#needs.page.isVisible()) return
    if (this.#view.status?.running === false) this.#point({ cpu: 0, memory: 0 }, true)
    else if (this.#socket.connection.is === 'open') this.#socket.send({ type: 'stat' })
    else if (this.#isWorkingPlainly() && !this.#statsAsked && this.#unanswered === 0) {
      this.#statsAsked = true
      void this.#pollStats()
    }
  }

  async #pollStats(): Promise<void> {
    try {
      this.#point(await this.#needs.calls.stats(this.#abort.signal))
    } catch (failure) {
      // Statistics come again in three seconds; only that the node is silent is worth telling.
      this.#failed(failure)
    } finally {
      this.#statsAsked = false
    }
  }

  #isWorkingPlainly(): boolean {
    const { is } = this.#socket.connection
    return is === 'closed' || isGivenUp(this.#socket.connection) || (is === 'connecting' && this.#polled)
  }

  async #poll(): Promise<void> {
    if (!this.#isWorkingPlainly() || this.#polling || !this.#needs.page.isVisible()) return
    this.#polling = true
    const { signal } = this.#abort
    try {
      this.#change({ status: await this.#needs.calls.status(signal) })
      this.#heard()
      if (this.#needs.may('viewServerConsole')) await this.#pollConsole(signal)
      this.#tryAgain()
    } catch (failure) {
      // The next poll is due in a few seconds; what has to be told until then is that the node is silent.
      this.#failed(failure)
    } finally {
      this.#polling = false
    }
  }

  async #pollConsole(signal: AbortSignal): Promise<void> {
    const output = await this.#needs.calls.console(this.#reading.at, signal)
    // A socket that opened meanwhile brings the same output with its replay.
    if (!this.#isWorkingPlainly()) return
    this.#polled = true
    this.#feed(readPolled(this.#reading, { ...output, logs: [output.logs] }))
  }

  /** A page whose calls get through tries the socket again: at once when they did not before, else now and then. */
  #tryAgain(): void {
    const { tryAgainMs = 60_000 } = this.#needs
    if (!isGivenUp(this.#socket.connection)) return
    if (this.#wasUnreachable || Date.now() - this.#lastTryAt >= tryAgainMs) this.#socket.tryOnce()
    this.#wasUnreachable = false
  }

  #heard(): void {
    this.#lastHeard = Date.now()
    this.#unanswered = 0
    this.#pollDueAt = 0
    if (this.#view.unreachable !== undefined) this.#change({ unreachable: undefined })
  }

  #failed(failure: unknown): void {
    if (this.#abort.signal.aborted) return
    const who = this.#needs.unreachableIn(failure)
    if (!who) return
    this.#wasUnreachable = true
    this.#pollDueAt = Date.now() + Math.min(longestPollMs, limits.consolePollMs * 2 ** this.#unanswered++) - slackMs
    if (this.#view.unreachable?.who !== who) this.#change({ unreachable: { who, since: this.#lastHeard } })
  }

  #point(stats: ServerStats, isBlank = false): void {
    const point = { ...stats, at: Date.now(), ...(isBlank ? ({ isBlank } as const) : {}) }
    this.#change({ stats: withPoint(this.#view.stats, point) })
  }

  #change(changed: Partial<LiveView>): void {
    this.#view = { ...this.#view, ...changed }
    for (const listener of this.#listeners) listener()
  }
}
