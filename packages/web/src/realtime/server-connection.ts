import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ClientMessage, ConsoleOutput, ServerMessage, TerminalSize } from '@innkeeper/contract/servers/live'
import type { ServerStats, ServerStatus } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import { type Connection, hasGivenUp } from './connection.ts'
import { type Cursor, type FeedResult, initialCursor, readOutput, readPolled, readReplay } from './console-feed.ts'
import { ReconnectingSocket, type Socket } from './reconnecting-socket.ts'
import { appendPoint, emptyHistory, mergeHistory, type StatsHistory, type StatsPoint } from './stats-history.ts'

export const pollIntervalMs = 5_000
/** The same while the page is hidden: a crash must show in the title of its tab. */
export const hiddenPollIntervalMs = 60_000

/** Where console output goes. */
export interface ConsoleSink {
  /** `epoch` is the time of printing in seconds; `undefined` when unknown. */
  write(text: string, epoch: number | undefined): void
  gap(bytes: number): void
  reset(): void
}

/** The HTTP calls used while there is no socket. They reject with a `Refusal`. */
export interface HttpFallback {
  status(signal: AbortSignal): Promise<ServerStatus>
  stats(signal: AbortSignal): Promise<ServerStats>
  /** Output from a position on, or all available output. */
  console(
    from: number | undefined,
    signal: AbortSignal,
  ): Promise<Omit<ConsoleOutput, 'logs'> & { readonly logs: string }>
  /** Recent measurements, oldest first. */
  statsHistory(signal: AbortSignal): Promise<readonly StatsPoint[]>
  /** Makes the call for a message. */
  send(message: ClientMessage): Promise<void>
}

/** Whether the page is visible. `onChange` also fires when the network is back. */
export interface PageVisibility {
  isVisible(): boolean
  onChange(listener: () => void): () => void
}

export interface ServerConnectionOptions {
  readonly open: () => Socket
  readonly calls: HttpFallback
  readonly page: PageVisibility
  readonly console: ConsoleSink
  readonly can: (permission: RequiredPermission) => boolean
  /** Called with errors that no caller handles. */
  readonly onError: (refusal: unknown) => void
  /** The user has permissions that they lacked when the socket was opened. */
  readonly onPermissions: () => void
  /** The host that did not respond, if an error means that. */
  readonly findUnreachable: (error: unknown) => Unreachable['host'] | undefined
  /** Converts an error message of the socket. */
  readonly toRefusal: (error: Extract<ServerMessage, { type: 'error' }>['data']) => Refusal
  /** Time between attempts to open a connection that was given up, while HTTP calls succeed. */
  readonly retryMs?: number
}

/** The panel or the node does not respond since a time (epoch milliseconds). */
export interface Unreachable {
  readonly host: 'panel' | 'node'
  readonly since: number
}

/** The terminal of a server, while a viewer has it open. */
export interface OpenTerminal {
  /** Sets the size of the server's terminal, for all its viewers. */
  resize(size: TerminalSize): void
  /** Types into the terminal. Without a live connection nothing is typed, not even later. */
  type(data: string): void
  close(): void
}

interface TerminalState {
  readonly onSize: (size: TerminalSize) => void
  /** The size that this viewer set last. */
  size?: TerminalSize
}

/** Maximum pause between polls while there is no response. */
const maxPollMs = 30_000
/** Timers fire early or late: a poll due within this time is due. */
const slackMs = 1_000

/** The current state of a server. Immutable. */
export interface ServerSnapshot {
  readonly connection: Connection
  readonly status: ServerStatus | undefined
  readonly stats: StatsHistory
  readonly unreachable: Unreachable | undefined
}

/**
 * Follows a server: over the live socket while it is open, else by polling over HTTP. Owns the socket, the timers and the
 * position in the console.
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
  #lastResponseAt = Date.now()
  #hasPolled = false
  #pollInProgress = false
  #lastPollAt = 0
  #statsRequested = false
  /** Consecutive polls without a response, and when the next one is due. */
  #failedPolls = 0
  #pollDueAt = 0
  #lastAttemptAt = 0
  /** A poll had no response since the connection was given up. */
  #wasUnreachable = false
  #terminal: TerminalState | undefined

  constructor(options: ServerConnectionOptions) {
    this.#options = options
    this.#snapshot = {
      connection: { status: 'connecting', failures: 0 },
      status: undefined,
      stats: emptyHistory(Date.now()),
      unreachable: undefined,
    }
    this.#socket = new ReconnectingSocket({
      open: options.open,
      onMessage: (message) => this.#receive(message),
      onChange: (connection) => this.#onConnectionChange(connection),
      onUnsent: (message) => this.#sendOverHttp(message),
    })
    this.#unsubscribePage = options.page.onChange(() => this.#pageChanged())
    this.#statsTimer = setInterval(() => this.#requestStats(), limits.statsEveryMs)
    this.#pollTimer = setInterval(() => {
      if (Date.now() >= this.#pollDueAt) void this.#poll()
    }, pollIntervalMs)
    void this.#loadStatsHistory()
  }

  /** For `useSyncExternalStore`. */
  readonly snapshot = (): ServerSnapshot => this.#snapshot

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Sends a command to the server's console, over the socket or HTTP. */
  sendCommand(command: string): void {
    this.#send({ type: 'console', command })
  }

  /**
   * Opens the server's terminal, also over reconnects. `onSize` is called with its size at first and after each change. There
   * is one at a time: opening another one ends the one before.
   */
  openTerminal(onSize: (size: TerminalSize) => void): OpenTerminal {
    const terminal: TerminalState = { onSize }
    const isCurrent = () => this.#terminal === terminal
    this.#terminal = terminal
    this.#sendIfOpen({ type: 'terminal', open: true })
    return {
      resize: (size) => {
        if (!isCurrent()) return
        terminal.size = size
        this.#sendIfOpen({ type: 'resize', ...size })
      },
      type: (data) => {
        if (isCurrent()) this.#sendIfOpen({ type: 'input', data })
      },
      close: () => {
        if (!isCurrent()) return
        this.#terminal = undefined
        this.#sendIfOpen({ type: 'terminal', open: false })
      },
    }
  }

  /** Requests the status again, after a call that may have changed it. */
  refresh(): void {
    if (this.#socket.connection.status === 'open') this.#send({ type: 'status' })
    else void this.#poll()
  }

  reconnect(): void {
    this.#pollDueAt = 0
    this.#socket.reconnect()
  }

  /** Ends the socket, the timers and pending calls. */
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

  #sendIfOpen(message: ClientMessage): void {
    if (this.#socket.connection.status === 'open') this.#socket.send(message)
  }

  #sendOverHttp(message: ClientMessage): void {
    this.#options.calls.send(message).catch((error: unknown) => this.#options.onError(error))
  }

  #onConnectionChange(connection: Connection): void {
    const before = this.#snapshot.connection
    this.#update({ connection })
    if (connection.status === 'open' && before.status !== 'open') {
      this.#socket.send({ type: 'status' })
      this.#replay()
      this.#requestStats()
      if (this.#terminal) {
        this.#socket.send({ type: 'terminal', open: true })
        if (this.#terminal.size) this.#socket.send({ type: 'resize', ...this.#terminal.size })
      }
    }
    if (connection.status === 'closed' && this.#snapshot.status === undefined) void this.#poll()
    if (connection.status === 'failed') {
      this.#lastAttemptAt = Date.now()
      // A single attempt after that does not restart polling.
      if (!hasGivenUp(before)) void this.#poll()
    }
  }

  /** Fills the statistics with what the node measured before the page was opened. */
  async #loadStatsHistory(): Promise<void> {
    if (!this.#options.can('viewServerStats')) return
    try {
      const history = await this.#options.calls.statsHistory(this.#abort.signal)
      this.#update({ stats: mergeHistory(this.#snapshot.stats, history) })
    } catch (error) {
      // Without history the statistics begin now.
      this.#onFailure(error)
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
    this.#onResponse()
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
        // For a stopped server the node sends zeros, which are no measurement.
        this.#addStatsPoint(message.data, this.#snapshot.status?.running === false)
        break
      case 'terminal':
        this.#terminal?.onSize(message.data)
        break
      case 'error':
        this.#options.onError(this.#options.toRefusal(message.data))
        break
      case 'permissions':
        this.#options.onPermissions()
        break
      case 'pong':
        break
    }
  }

  #applyFeed({ cursor, chunks, replayAll }: FeedResult): void {
    this.#cursor = cursor
    for (const chunk of chunks) {
      if (chunk.type === 'text') this.#options.console.write(chunk.text, chunk.epoch)
      else if (chunk.type === 'gap') this.#options.console.gap(chunk.bytes)
      else this.#options.console.reset()
    }
    if (replayAll) this.#socket.send({ type: 'replay' })
  }

  #pageChanged(): void {
    if (!this.#options.page.isVisible()) return
    const { status } = this.#socket.connection
    if (status === 'open') {
      // The socket may have died while the device slept.
      this.#socket.ping()
      if (this.#socket.connection.status === 'open') {
        this.#socket.send({ type: 'status' })
        this.#replay()
      }
    } else if (status === 'failed' || status === 'closed') this.#socket.reconnect()
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
    } catch (error) {
      // Statistics are requested again in three seconds.
      this.#onFailure(error)
    } finally {
      this.#statsRequested = false
    }
  }

  #isPolling(): boolean {
    const { status } = this.#socket.connection
    return status === 'closed' || hasGivenUp(this.#socket.connection) || (status === 'connecting' && this.#hasPolled)
  }

  async #poll(): Promise<void> {
    const isVisible = this.#options.page.isVisible()
    const isDue = isVisible || Date.now() - this.#lastPollAt >= hiddenPollIntervalMs - slackMs
    if (!this.#isPolling() || this.#pollInProgress || !isDue) return
    this.#pollInProgress = true
    this.#lastPollAt = Date.now()
    const { signal } = this.#abort
    try {
      this.#update({ status: await this.#options.calls.status(signal) })
      this.#onResponse()
      // A page that becomes visible catches up with the console.
      if (isVisible && this.#options.can('viewServerConsole')) await this.#pollConsole(signal)
      this.#retryConnection()
    } catch (error) {
      // The next poll is due in a few seconds.
      this.#onFailure(error)
    } finally {
      this.#pollInProgress = false
    }
  }

  async #pollConsole(signal: AbortSignal): Promise<void> {
    const output = await this.#options.calls.console(this.#cursor.position, signal)
    // The replay of a socket that is open by now contains the same output.
    if (!this.#isPolling()) return
    this.#hasPolled = true
    this.#applyFeed(readPolled(this.#cursor, { ...output, logs: [output.logs] }))
  }

  /** Tries the socket again when HTTP calls succeed: at once if they failed before, else every `retryMs`. */
  #retryConnection(): void {
    const { retryMs = 60_000 } = this.#options
    if (!hasGivenUp(this.#socket.connection)) return
    if (this.#wasUnreachable || Date.now() - this.#lastAttemptAt >= retryMs) this.#socket.tryOnce()
    this.#wasUnreachable = false
  }

  #onResponse(): void {
    this.#lastResponseAt = Date.now()
    this.#failedPolls = 0
    this.#pollDueAt = 0
    if (this.#snapshot.unreachable !== undefined) this.#update({ unreachable: undefined })
  }

  #onFailure(error: unknown): void {
    if (this.#abort.signal.aborted) return
    const host = this.#options.findUnreachable(error)
    if (!host) return
    this.#wasUnreachable = true
    this.#pollDueAt = Date.now() + Math.min(maxPollMs, pollIntervalMs * 2 ** this.#failedPolls++) - slackMs
    if (this.#snapshot.unreachable?.host !== host) this.#update({ unreachable: { host, since: this.#lastResponseAt } })
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
