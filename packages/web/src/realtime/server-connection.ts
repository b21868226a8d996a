import { limits } from '@innkeeper/contract/limits'
import type { ClientMessage, ConsoleOutput, ServerMessage } from '@innkeeper/contract/live'
import type { ServerRight } from '@innkeeper/contract/permissions'
import type { Refusal } from '@innkeeper/contract/refusals'
import type { ServerStats, ServerStatus } from '@innkeeper/contract/status'
import { type Connection, hasGivenUp } from './connection.ts'
import { type Cursor, type FeedResult, initialCursor, readOutput, readPolled, readReplay } from './console-feed.ts'
import { ReconnectingSocket, type Socket } from './reconnecting-socket.ts'
import { appendPoint, emptyHistory, mergeHistory, type StatsHistory, type StatsPoint } from './stats-history.ts'

/** Where console output goes. */
export interface ConsoleSink {
  /** `epoch` is when it was printed, in seconds; `undefined` when that is not known. */
  write(text: string, epoch: number | undefined): void
  gap(bytes: number): void
  reset(): void
}

/** The plain calls that do the socket's work while there is none. A refusal rejects. */
export interface HttpFallback {
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
export interface PageVisibility {
  isVisible(): boolean
  onChange(listener: () => void): () => void
}

export interface ServerConnectionOptions {
  readonly open: () => Socket
  readonly calls: HttpFallback
  readonly page: PageVisibility
  readonly console: ConsoleSink
  readonly can: (right: ServerRight) => boolean
  /** Gets every no that nobody waits for. */
  readonly onError: (refusal: unknown) => void
  /** Who did not answer, when a failure means that somebody did not. */
  readonly findUnreachable: (failure: unknown) => Unreachable['who'] | undefined
  /** A no that came over the socket. */
  readonly toRefusal: (error: Extract<ServerMessage, { type: 'error' }>['data']) => Refusal
  /** How long a connection that was given up rests between tries, while plain calls get through. */
  readonly retryMs?: number
}

/** Why nothing new is known: the panel, or the node behind it, has not answered since then (epoch milliseconds). */
export interface Unreachable {
  readonly who: 'panel' | 'node'
  readonly since: number
}

/** The pause between polls while nobody answers grows up to this. */
const maxPollMs = 30_000
/** Timers are late by a little: what is due within this is due. */
const slackMs = 1_000

/** What is known of a server right now; replaced whole when something changes. */
export interface ServerSnapshot {
  readonly connection: Connection
  readonly status: ServerStatus | undefined
  readonly stats: StatsHistory
  readonly unreachable: Unreachable | undefined
}

/**
 * A server as its page watches it: over the live socket while that is open, with plain calls while it is not.
 * It owns the socket, the polling and the reading position of the console.
 */
export class ServerConnection {
  readonly #options: ServerConnectionOptions
  readonly #socket: ReconnectingSocket
  readonly #listeners = new Set<() => void>()
  readonly #abort = new AbortController()
  readonly #unsubscribePage: () => void
  readonly #statsTimer: ReturnType<typeof setInterval>
  readonly #pollTimer: ReturnType<typeof setInterval>
  #snapshot: ServerSnapshot
  #cursor: Cursor = initialCursor
  #lastAnswerAt = Date.now()
  #hasPolled = false
  #pollInProgress = false
  #statsRequested = false
  /** Polls in a row that nobody answered, and when the next one is due. */
  #failedPolls = 0
  #pollDueAt = 0
  #lastTryAt = 0
  /** Nobody answered at some time since the connection was given up. */
  #wasUnreachable = false

  constructor(needs: ServerConnectionOptions) {
    this.#options = needs
    this.#snapshot = {
      connection: { status: 'connecting', failures: 0 },
      status: undefined,
      stats: emptyHistory(Date.now()),
      unreachable: undefined,
    }
    this.#socket = new ReconnectingSocket({
      open: needs.open,
      onMessage: (message) => this.#receive(message),
      onChange: (connection) => this.#onConnectionChange(connection),
      onUnsent: (message) => this.#sendOverHttp(message),
    })
    this.#unsubscribePage = needs.page.onChange(() => this.#pageChanged())
    this.#statsTimer = setInterval(() => this.#requestStats(), limits.statsEveryMs)
    this.#pollTimer = setInterval(() => {
      if (Date.now() >= this.#pollDueAt) void this.#poll()
    }, limits.consolePollMs)
    void this.#loadStatsHistory()
  }

  /** For `useSyncExternalStore`. */
  readonly snapshot = (): ServerSnapshot => this.#snapshot

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Sends a command to the server's console, over the socket or with a plain call. */
  sendCommand(command: string): void {
    this.#send({ type: 'console', command })
  }

  /** Asks for the state again: a call may just have changed it. */
  refresh(): void {
    if (this.#socket.connection.status === 'open') this.#send({ type: 'status' })
    else void this.#poll()
  }

  reconnect(): void {
    this.#pollDueAt = 0
    this.#socket.reconnect()
  }

  /** Ends everything: socket, timers, calls under way. */
  close(): void {
    this.#unsubscribePage()
    clearInterval(this.#statsTimer)
    clearInterval(this.#pollTimer)
    this.#abort.abort()
    this.#listeners.clear()
    this.#socket.close()
  }

  #send(message: ClientMessage): void {
    if (!this.#socket.send(message)) this.#sendOverHttp(message)
  }

  #sendOverHttp(message: ClientMessage): void {
    this.#options.calls.send(message).catch((failure: unknown) => this.#options.onError(failure))
  }

  #onConnectionChange(connection: Connection): void {
    const before = this.#snapshot.connection
    this.#update({ connection })
    if (connection.status === 'open' && before.status !== 'open') {
      this.#socket.send({ type: 'status' })
      this.#replay()
      this.#requestStats()
    }
    if (connection.status === 'closed' && this.#snapshot.status === undefined) void this.#poll()
    if (connection.status === 'failed') {
      this.#lastTryAt = Date.now()
      // A single try after that leaves polling as it is.
      if (!hasGivenUp(before)) void this.#poll()
    }
  }

  /** Begins the statistics with what the node measured before the page was opened. */
  async #loadStatsHistory(): Promise<void> {
    if (!this.#options.can('viewServerStats')) return
    try {
      const past = await this.#options.calls.past(this.#abort.signal)
      this.#update({ stats: mergeHistory(this.#snapshot.stats, past) })
    } catch (failure) {
      // The statistics then begin now; that nobody answers is worth knowing.
      this.#onFailure(failure)
    }
  }

  #replay(): void {
    if (!this.#options.can('viewServerConsole')) return
    this.#hasPolled = false
    this.#cursor = { position: this.#cursor.position, awaitingReplay: true }
    this.#socket.send(
      this.#cursor.position === undefined ? { type: 'replay' } : { type: 'replay', from: this.#cursor.position },
    )
  }

  #receive(message: ServerMessage): void {
    this.#onAnswer()
    switch (message.type) {
      case 'console':
        this.#applyFeed(readOutput(this.#cursor, message.data))
        break
      case 'replay':
        this.#applyFeed(readReplay(this.#cursor, message.data))
        break
      case 'status':
        this.#update({ status: message.data })
        break
      case 'stat':
        this.#statsRequested = false
        // A server that is off is answered for with zeros that nobody measured.
        this.#addStatsPoint(message.data, this.#snapshot.status?.running === false)
        break
      case 'error':
        this.#options.onError(this.#options.toRefusal(message.data))
        break
      case 'pong':
        break
    }
  }

  #applyFeed({ cursor, chunks, replayAll }: FeedResult): void {
    this.#cursor = cursor
    for (const piece of chunks) {
      if (piece.type === 'text') this.#options.console.write(piece.text, piece.epoch)
      else if (piece.type === 'gap') this.#options.console.gap(piece.bytes)
      else this.#options.console.reset()
    }
    if (replayAll) this.#socket.send({ type: 'replay' })
  }

  #pageChanged(): void {
    if (!this.#options.page.isVisible()) return
    const { status: is } = this.#socket.connection
    if (is === 'open') {
      // The socket may have died while the device slept: the answer, or its absence, tells.
      this.#socket.ping()
      if (this.#socket.connection.status === 'open') {
        this.#socket.send({ type: 'status' })
        this.#replay()
      }
    } else if (is === 'failed' || is === 'closed') this.#socket.reconnect()
    this.#requestStats()
  }

  #requestStats(): void {
    if (!this.#options.can('viewServerStats') || !this.#options.page.isVisible()) return
    if (this.#snapshot.status?.running === false) this.#addStatsPoint({ cpu: 0, memory: 0 }, true)
    else if (this.#socket.connection.status === 'open') this.#socket.send({ type: 'stat' })
    else if (this.#isPolling() && !this.#statsRequested && this.#failedPolls === 0) {
      this.#statsRequested = true
      void this.#pollStats()
    }
  }

  async #pollStats(): Promise<void> {
    try {
      this.#addStatsPoint(await this.#options.calls.stats(this.#abort.signal))
    } catch (failure) {
      // Statistics come again in three seconds; only that the node is silent is worth telling.
      this.#onFailure(failure)
    } finally {
      this.#statsRequested = false
    }
  }

  #isPolling(): boolean {
    const { status: is } = this.#socket.connection
    return is === 'closed' || hasGivenUp(this.#socket.connection) || (is === 'connecting' && this.#hasPolled)
  }

  async #poll(): Promise<void> {
    if (!this.#isPolling() || this.#pollInProgress || !this.#options.page.isVisible()) return
    this.#pollInProgress = true
    const { signal } = this.#abort
    try {
      this.#update({ status: await this.#options.calls.status(signal) })
      this.#onAnswer()
      if (this.#options.can('viewServerConsole')) await this.#pollConsole(signal)
      this.#retryConnection()
    } catch (failure) {
      // The next poll is due in a few seconds; what has to be told until then is that the node is silent.
      this.#onFailure(failure)
    } finally {
      this.#pollInProgress = false
    }
  }

  async #pollConsole(signal: AbortSignal): Promise<void> {
    const output = await this.#options.calls.console(this.#cursor.position, signal)
    // A socket that opened meanwhile brings the same output with its replay.
    if (!this.#isPolling()) return
    this.#hasPolled = true
    this.#applyFeed(readPolled(this.#cursor, { ...output, logs: [output.logs] }))
  }

  /** A page whose calls get through tries the socket again: at once when they did not before, else now and then. */
  #retryConnection(): void {
    const { retryMs = 60_000 } = this.#options
    if (!hasGivenUp(this.#socket.connection)) return
    if (this.#wasUnreachable || Date.now() - this.#lastTryAt >= retryMs) this.#socket.tryOnce()
    this.#wasUnreachable = false
  }

  #onAnswer(): void {
    this.#lastAnswerAt = Date.now()
    this.#failedPolls = 0
    this.#pollDueAt = 0
    if (this.#snapshot.unreachable !== undefined) this.#update({ unreachable: undefined })
  }

  #onFailure(failure: unknown): void {
    if (this.#abort.signal.aborted) return
    const who = this.#options.findUnreachable(failure)
    if (!who) return
    this.#wasUnreachable = true
    this.#pollDueAt = Date.now() + Math.min(maxPollMs, limits.consolePollMs * 2 ** this.#failedPolls++) - slackMs
    if (this.#snapshot.unreachable?.who !== who) this.#update({ unreachable: { who, since: this.#lastAnswerAt } })
  }

  #addStatsPoint(stats: ServerStats, isBlank = false): void {
    const point = { ...stats, timestamp: Date.now(), ...(isBlank ? ({ isBlank } as const) : {}) }
    this.#update({ stats: appendPoint(this.#snapshot.stats, point) })
  }

  #update(changed: Partial<ServerSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changed }
    for (const listener of this.#listeners) listener()
  }
}
