import { limits } from '@innkeeper/contract/limits'
import type { ClientMessage, ServerMessage } from '@innkeeper/contract/live'
import type { ServerRight } from '@innkeeper/contract/permissions'
import type { Refusal } from '@innkeeper/contract/refusals'
import type { ServerStats, ServerStatus } from '@innkeeper/contract/status'
import type { Connection } from './connection.ts'
import { type Fed, type Reading, readOutput, readReplay, unread } from './console-feed.ts'
import { LiveSocket, type Socket } from './live-socket.ts'
import { emptyHistory, type StatsHistory, withPoint } from './stats-history.ts'

/** Where console output goes. */
export interface ConsoleSink {
  write(text: string, epoch: number): void
  gap(bytes: number): void
  startOver(): void
  /** Output from here on may come again; `retake` takes it back. */
  mark(): void
  retake(): void
}

/** The plain calls that do the socket's work while there is none. A refusal rejects. */
export interface PlainCalls {
  status(signal: AbortSignal): Promise<ServerStatus>
  stats(signal: AbortSignal): Promise<ServerStats>
  console(since: number | undefined, signal: AbortSignal): Promise<{ readonly epoch: number; readonly logs: string }>
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
  /** Whether a failure means that the node did not answer. */
  readonly isSilence: (failure: unknown) => boolean
  /** A no that came over the socket. */
  readonly refusalOf: (error: Extract<ServerMessage, { type: 'error' }>['data']) => Refusal
}

/** What is known of a server right now; replaced whole when something changes. */
export interface LiveView {
  readonly connection: Connection
  readonly status: ServerStatus | undefined
  readonly stats: StatsHistory
  /** When the node was last heard, epoch milliseconds, while it does not answer. */
  readonly silentSince: number | undefined
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
  #lastEpoch: number | undefined
  #lastHeard = Date.now()
  #polled = false
  #polling = false
  #statsAsked = false

  constructor(needs: ServerLiveNeeds) {
    this.#needs = needs
    this.#view = {
      connection: { is: 'connecting', failures: 0 },
      status: undefined,
      stats: emptyHistory(Date.now()),
      silentSince: undefined,
    }
    this.#socket = new LiveSocket({
      open: needs.open,
      onMessage: (message) => this.#receive(message),
      onChange: (connection) => this.#connected(connection),
      onUnsent: (message) => this.#sendPlainly(message),
    })
    this.#forgetPage = needs.page.onChange(() => this.#pageChanged())
    this.#statsTimer = setInterval(() => this.#askStats(), limits.statsEveryMs)
    this.#pollTimer = setInterval(() => void this.#poll(), limits.consolePollMs)
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

  /** Shows a state that a call was just answered with, until the node says more. */
  refresh(): void {
    if (this.#socket.connection.is === 'open') this.#send({ type: 'status' })
    else void this.#poll()
  }

  reconnect(): void {
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
    const wasOpen = this.#view.connection.is === 'open'
    this.#change({ connection })
    if (connection.is === 'open' && !wasOpen) {
      this.#socket.send({ type: 'status' })
      this.#replay()
      this.#askStats()
    }
    if (connection.is === 'closed' && this.#view.status === undefined) void this.#poll()
    if (connection.is === 'failed') void this.#poll()
  }

  #replay(): void {
    if (!this.#needs.may('viewServerConsole')) return
    // What was polled has no positions: it is taken back, and comes again with the replay.
    if (this.#polled) this.#needs.console.retake()
    this.#polled = false
    this.#reading = { at: this.#reading.at, awaitingReplay: true }
    this.#socket.send(this.#reading.at === undefined ? { type: 'replay' } : { type: 'replay', from: this.#reading.at })
  }

  #receive(message: ServerMessage): void {
    this.#heard()
    switch (message.type) {
      case 'console':
        this.#lastEpoch = message.data.epoch
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
        this.#point(message.data)
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
    if (this.#view.status?.running === false) this.#point({ cpu: 0, memory: 0 })
    else if (this.#socket.connection.is === 'open') this.#socket.send({ type: 'stat' })
    else if (this.#isWorkingPlainly() && !this.#statsAsked) {
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
    return is === 'closed' || is === 'failed' || (is === 'connecting' && this.#polled)
  }

  async #poll(): Promise<void> {
    if (!this.#isWorkingPlainly() || this.#polling || !this.#needs.page.isVisible()) return
    this.#polling = true
    const { signal } = this.#abort
    try {
      this.#change({ status: await this.#needs.calls.status(signal) })
      this.#heard()
      if (this.#needs.may('viewServerConsole')) await this.#pollConsole(signal)
    } catch (failure) {
      // The next poll is due in a few seconds; what has to be told until then is that the node is silent.
      this.#failed(failure)
    } finally {
      this.#polling = false
    }
  }

  async #pollConsole(signal: AbortSignal): Promise<void> {
    const { epoch, logs } = await this.#needs.calls.console(this.#lastEpoch, signal)
    // A socket that opened meanwhile brings the same output with its replay.
    if (!this.#isWorkingPlainly()) return
    if (!this.#polled) this.#needs.console.mark()
    this.#polled = true
    this.#lastEpoch = epoch
    if (logs !== '') this.#needs.console.write(logs, epoch)
  }

  #heard(): void {
    this.#lastHeard = Date.now()
    if (this.#view.silentSince !== undefined) this.#change({ silentSince: undefined })
  }

  #failed(failure: unknown): void {
    if (this.#abort.signal.aborted || !this.#needs.isSilence(failure)) return
    if (this.#view.silentSince === undefined) this.#change({ silentSince: this.#lastHeard })
  }

  #point(stats: ServerStats): void {
    this.#change({ stats: withPoint(this.#view.stats, { ...stats, at: Date.now() }) })
  }

  #change(changed: Partial<LiveView>): void {
    this.#view = { ...this.#view, ...changed }
    for (const listener of this.#listeners) listener()
  }
}
