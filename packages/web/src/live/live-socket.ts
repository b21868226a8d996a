import { limits } from '@innkeeper/contract/limits'
import type { ClientMessage, ServerMessage } from '@innkeeper/contract/live'
import { after, type Connection, type Happening, isGivenUp } from './connection.ts'
import { parseMessage } from './messages.ts'

/** What the live socket needs of a browser's WebSocket. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'addEventListener'>

export interface LiveSocketNeeds {
  readonly open: () => Socket
  readonly onMessage: (message: ServerMessage) => void
  readonly onChange: (connection: Connection) => void
  /** Gets what was waiting for a socket that then did not open. */
  readonly onUnsent: (message: ClientMessage) => void
}

type Timer = ReturnType<typeof setTimeout>

/**
 * The live socket of one server: opens it, keeps it open by the rules of `connection.ts`, and queues what is sent
 * before it opens. It owns the socket and every timer about it; `close` ends them all.
 */
export class LiveSocket {
  readonly #needs: LiveSocketNeeds
  #connection: Connection = { is: 'connecting', failures: 0 }
  #socket: Socket | undefined
  #queue: ClientMessage[] = []
  #retry: Timer | undefined
  #held: Timer | undefined
  #opening: Timer | undefined
  #ping: ReturnType<typeof setInterval> | undefined
  #heard = true

  constructor(needs: LiveSocketNeeds) {
    this.#needs = needs
    this.#connect()
  }

  get connection(): Connection {
    return this.#connection
  }

  /** Sends now, or when the socket opens. False when there is none to wait for: send it another way. */
  send(message: ClientMessage): boolean {
    if (this.#connection.is === 'open') {
      this.#socket?.send(JSON.stringify(message))
      return true
    }
    if (this.#connection.is === 'connecting' && !isGivenUp(this.#connection)) {
      this.#queue.push(message)
      return true
    }
    return false
  }

  /** Tries again at once, with a full set of tries. */
  reconnect(): void {
    this.#happen({ kind: 'reconnect' })
  }

  /** Tries once to open a connection that was given up; without success it stays given up. */
  tryOnce(): void {
    this.#happen({ kind: 'tryOnce' })
  }

  /** Takes the socket for dead when nothing came over it for a while: a sleeping device is not told that it closed. */
  probe(): void {
    if (this.#connection.is !== 'open') return
    if (!this.#heard) {
      this.#drop()
      return
    }
    this.#heard = false
    this.send({ type: 'ping' })
  }

  close(): void {
    this.#happen({ kind: 'leave' })
  }

  #connect(): void {
    const socket = this.#needs.open()
    this.#socket = socket
    this.#opening = setTimeout(() => this.#drop(), limits.nodeCallMs)
    // A socket we let go may still speak; only the one in hand counts.
    const ifCurrent =
      <E>(act: (event: E) => void) =>
      (event: E) => {
        if (this.#socket === socket) act(event)
      }
    socket.addEventListener(
      'open',
      ifCurrent(() => this.#happen({ kind: 'opened' })),
    )
    socket.addEventListener(
      'close',
      ifCurrent((event: CloseEvent) => this.#happen({ kind: 'lost', code: event.code })),
    )
    socket.addEventListener(
      'message',
      ifCurrent((event: MessageEvent) => {
        this.#heard = true
        const message = parseMessage(event.data)
        if (message) this.#needs.onMessage(message)
      }),
    )
  }

  #drop(): void {
    this.#happen({ kind: 'lost' })
  }

  #happen(happening: Happening): void {
    const before = this.#connection
    const now = after(before, happening)
    if (now === before) return
    this.#connection = now
    if (now.is !== before.is) this.#enter(now)
    this.#needs.onChange(now)
  }

  #enter(now: Connection): void {
    this.#stopTimers()
    if (now.is !== 'open') this.#letGo()
    if (now.is === 'connecting') this.#connect()
    if (now.is === 'closed') this.#retry = setTimeout(() => this.#happen({ kind: 'due' }), now.retryInMs)
    if (now.is === 'open') {
      this.#heard = true
      this.#held = setTimeout(() => this.#happen({ kind: 'held' }), limits.socketRetryResetMs)
      this.#ping = setInterval(() => this.probe(), limits.socketPingEveryMs)
      for (const message of this.#queue.splice(0)) this.send(message)
    } else if (now.is === 'ended') {
      this.#queue = []
    } else if (now.is !== 'connecting') {
      for (const message of this.#queue.splice(0)) this.#needs.onUnsent(message)
    }
  }

  #letGo(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }

  #stopTimers(): void {
    clearTimeout(this.#retry)
    clearTimeout(this.#held)
    clearTimeout(this.#opening)
    clearInterval(this.#ping)
  }
}
