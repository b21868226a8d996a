import { ReportedError } from '@innkeeper/contract/errors/refusal-envelope'
import type { ClientMessage, ServerMessage } from '@innkeeper/contract/servers/live'
import { ServerStats, ServerStatus } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import { z } from 'zod/mini'
import { type Connection, type ConnectionEvent, hasGivenUp, transition } from './connection.ts'

/** A connection that lasted this long starts the backoff anew. */
export const stableAfterMs = 30_000

/** The part of `WebSocket` that is used. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'addEventListener'>

export interface ReconnectingSocketOptions {
  readonly open: () => Socket
  readonly onMessage: (message: ServerMessage) => void
  readonly onChange: (connection: Connection) => void
  /** Called with queued messages when the socket did not open. */
  readonly onUnsent: (message: ClientMessage) => void
}

type Timer = ReturnType<typeof setTimeout>

/**
 * The live socket of one server. Opens it, reconnects with backoff by the rules of `connection.ts`, and queues messages until it is
 * open. Owns the socket and its timers; `close` ends them.
 */
export class ReconnectingSocket {
  readonly #options: ReconnectingSocketOptions
  #connection: Connection = { status: 'connecting', failures: 0 }
  #socket: Socket | undefined
  #queue: ClientMessage[] = []
  #retryTimer: Timer | undefined
  #stableTimer: Timer | undefined
  #openTimer: Timer | undefined
  #pingTimer: ReturnType<typeof setInterval> | undefined
  #hasReceived = true

  constructor(options: ReconnectingSocketOptions) {
    this.#options = options
    this.#connect()
  }

  get connection(): Connection {
    return this.#connection
  }

  /** Sends a message now, or when the socket opens. Returns false when there is no socket to wait for. */
  send(message: ClientMessage): boolean {
    if (this.#connection.status === 'open') {
      this.#socket?.send(JSON.stringify(message))
      return true
    }
    if (this.#connection.status === 'connecting' && !hasGivenUp(this.#connection)) {
      this.#queue.push(message)
      return true
    }
    return false
  }

  /** Reconnects at once, with all attempts. */
  reconnect(): void {
    this.#dispatch({ type: 'reconnect' })
  }

  /** Makes one attempt to open a connection that was given up. */
  tryOnce(): void {
    this.#dispatch({ type: 'tryOnce' })
  }

  /** Disconnects when nothing was received since the last ping: a device that slept gets no close event. */
  ping(): void {
    if (this.#connection.status !== 'open') return
    if (!this.#hasReceived) {
      this.#disconnect()
      return
    }
    this.#hasReceived = false
    this.send({ type: 'ping' })
  }

  close(): void {
    this.#dispatch({ type: 'leave' })
  }

  #connect(): void {
    const socket = this.#options.open()
    this.#socket = socket
    this.#openTimer = setTimeout(() => this.#disconnect(), limits.nodeCallMs)
    // A detached socket may still emit events.
    const ifCurrent =
      <E>(act: (event: E) => void) =>
      (event: E) => {
        if (this.#socket === socket) act(event)
      }
    socket.addEventListener(
      'open',
      ifCurrent(() => this.#dispatch({ type: 'opened' })),
    )
    socket.addEventListener(
      'close',
      ifCurrent((event: CloseEvent) => this.#dispatch({ type: 'lost', code: event.code })),
    )
    socket.addEventListener(
      'message',
      ifCurrent((event: MessageEvent) => {
        this.#hasReceived = true
        const message = parseMessage(event.data)
        if (message) this.#options.onMessage(message)
      }),
    )
  }

  #disconnect(): void {
    this.#dispatch({ type: 'lost' })
  }

  #dispatch(event: ConnectionEvent): void {
    const previous = this.#connection
    const current = transition(previous, event)
    if (current === previous) return
    this.#connection = current
    if (current.status !== previous.status) this.#enter(current)
    this.#options.onChange(current)
  }

  #enter(connection: Connection): void {
    this.#stopTimers()
    if (connection.status !== 'open') this.#detach()
    if (connection.status === 'connecting') this.#connect()
    if (connection.status === 'closed')
      this.#retryTimer = setTimeout(() => this.#dispatch({ type: 'due' }), connection.retryInMs)
    if (connection.status === 'open') {
      this.#hasReceived = true
      this.#stableTimer = setTimeout(() => this.#dispatch({ type: 'stabilized' }), stableAfterMs)
      this.#pingTimer = setInterval(() => this.ping(), limits.socketPingEveryMs)
      for (const message of this.#queue.splice(0)) this.send(message)
    } else if (connection.status === 'ended') {
      this.#queue = []
    } else if (connection.status !== 'connecting') {
      for (const message of this.#queue.splice(0)) this.#options.onUnsent(message)
    }
  }

  #detach(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }

  #stopTimers(): void {
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#stableTimer)
    clearTimeout(this.#openTimer)
    clearInterval(this.#pingTimer)
  }
}

const Message: z.ZodMiniType<ServerMessage> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('console'),
    data: z.object({ logs: z.array(z.string()), epoch: z.int(), from: z.number(), to: z.number() }),
  }),
  z.object({ type: z.literal('replay'), data: z.object({ from: z.number(), to: z.number() }) }),
  z.object({ type: z.literal('status'), data: ServerStatus }),
  z.object({ type: z.literal('stat'), data: ServerStats }),
  z.object({ type: z.literal('terminal'), data: z.object({ cols: z.int(), rows: z.int() }) }),
  z.object({ type: z.literal('pong'), data: z.catch(z.record(z.string(), z.never()), {}) }),
  z.object({ type: z.literal('permissions'), data: z.catch(z.record(z.string(), z.never()), {}) }),
  z.object({ type: z.literal('error'), data: ReportedError }),
])

/** Parses a frame of the live socket. Returns undefined for unknown messages. */
function parseMessage(frame: unknown): ServerMessage | undefined {
  if (typeof frame !== 'string') return undefined
  const json = parseJson(frame)
  const read = Message.safeParse(json)
  return read.success ? read.data : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Handled like an unknown message.
    return undefined
  }
}
