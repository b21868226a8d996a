import { limits } from '../text/limits.ts'
import { ConnectionLimiter, type ConnectionLimits, limitWarning } from './connection-limiter.ts'
import { type BodyRate, slowestBody } from './slow-body.ts'

/** A connection, as `net.Socket` has it. */
interface HttpSocket {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  readonly bytesWritten: number
  readonly writableLength: number
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/** A server, as `http.Server` and `https.Server` have it. */
interface HttpServer<S> {
  address(): string | object | null
  on(event: 'connection' | 'secureConnection', listener: (socket: S) => void): unknown
}

/** Times that a connection may take. */
export interface HttpTimeouts {
  /** From the first byte of a request, or the beginning of the connection, to the end of its head. */
  readonly headMs: number
  readonly tlsHandshakeMs: number
  /** Between two requests. */
  readonly keepAliveMs: number
  /** Without reading anything of a response, for a client that is not authenticated. */
  readonly unreadMs: number
  readonly slowestBody: BodyRate
  /** Interval of the checks. */
  readonly checkEveryMs: number
}

export const httpTimeouts: HttpTimeouts = {
  headMs: 30_000,
  tlsHandshakeMs: 15_000,
  keepAliveMs: 50_000,
  unreadMs: 120_000,
  slowestBody,
  checkEveryMs: 5_000,
}

/** The options of an HTTP or HTTPS server with these timeouts. Paths of files may be long. */
export function serverOptions({ headMs, tlsHandshakeMs, keepAliveMs, checkEveryMs }: HttpTimeouts) {
  return {
    headersTimeout: headMs,
    handshakeTimeout: tlsHandshakeMs,
    keepAliveTimeout: keepAliveMs,
    // Bodies have a lowest rate instead.
    requestTimeout: 0,
    connectionsCheckingInterval: checkEveryMs,
    maxHeaderSize: limits.headBytes,
  }
}

interface Options<S> {
  readonly limits: ConnectionLimits
  readonly timeouts?: HttpTimeouts
  /** Whether a connection is that of a trusted proxy. Until it is known, it counts as one. */
  readonly isProxy?: (socket: S) => boolean | Promise<boolean>
  /** Called with a message when a connection is closed because of a limit, at most once a minute. */
  readonly warn: (message: string) => void
}

/** A connection that is not authenticated. */
interface Unproven<S> {
  /** The one that is closed: with TLS the encrypted one. */
  readonly accepted: S
  /** The one that is read and written. */
  socket: S
  bytesWritten: number
  /** When something was read of the response, or all of it. */
  readAt: number
}

/** What is left of a response may take this long, in addition to the timeout. */
const readBytesPerMs = 16

/** Identifies a connection; with TLS, both its sockets have the same ends. */
type ConnectionId = string | object

/** Counts the connections of HTTP servers from their first moment, and ends those of clients that read nothing. */
export class HttpConnections<S extends HttpSocket = HttpSocket> {
  readonly timeouts: HttpTimeouts
  readonly #limiter: ConnectionLimiter<ConnectionId>
  readonly #unproven = new Map<ConnectionId, Unproven<S>>()
  readonly #isProxy: (socket: S) => boolean | Promise<boolean>
  readonly #warn: (address: string | undefined) => void
  readonly #timer: NodeJS.Timeout

  constructor({ limits, timeouts = httpTimeouts, isProxy = () => false, warn }: Options<S>) {
    this.timeouts = timeouts
    this.#limiter = new ConnectionLimiter(limits)
    this.#isProxy = isProxy
    this.#warn = limitWarning(warn)
    this.#timer = setInterval(() => this.#endUnread(), timeouts.checkEveryMs).unref()
  }

  /** Number of open connections. */
  get size(): number {
    return this.#limiter.size
  }

  /** Counts the connections of a server, before it listens. */
  watch(server: HttpServer<S>): void {
    server.on('connection', (socket) => this.#accept(socket, typeof server.address() === 'string'))
    server.on('secureConnection', (socket) => {
      const unproven = this.#unproven.get(getId(socket))
      if (unproven) unproven.socket = socket
    })
  }

  /** See `ConnectionLimiter.authenticate`. */
  authenticate(
    socket: Pick<S, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>,
    owner?: string,
  ): boolean {
    const id = getId(socket)
    const isAllowed = this.#limiter.authenticate(id, owner)
    if (isAllowed) this.#unproven.delete(id)
    return isAllowed
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #accept(socket: S, isUnix: boolean): void {
    // A stream of a tunnel, which is authenticated and not a connection of its own.
    if (!('remoteAddress' in socket)) return
    // The client has closed it already.
    if (!isUnix && socket.remoteAddress === undefined) {
      socket.destroy()
      return
    }
    const id = getId(socket)
    this.#unproven.set(id, { accepted: socket, socket, bytesWritten: 0, readAt: performance.now() })
    socket.once('close', () => {
      this.#limiter.close(id)
      this.#unproven.delete(id)
    })
    const isProxy = this.#isProxy(socket)
    this.#replace(this.#limiter.open(id, socket.remoteAddress, isProxy !== false))
    if (typeof isProxy !== 'boolean') void this.#limitUntrusted(id, socket, isProxy)
  }

  async #limitUntrusted(id: ConnectionId, { remoteAddress }: S, isProxy: Promise<boolean>): Promise<void> {
    if ((await isProxy) || remoteAddress === undefined) return
    this.#replace(this.#limiter.distrust(id, remoteAddress))
  }

  #replace(id: ConnectionId | undefined): void {
    if (id === undefined) return
    const accepted = this.#unproven.get(id)?.accepted
    this.#warn(accepted?.remoteAddress)
    accepted?.destroy()
  }

  #endUnread(): void {
    const now = performance.now()
    for (const unproven of this.#unproven.values()) {
      const { accepted, socket, readAt } = unproven
      const { bytesWritten, writableLength } = socket
      if (writableLength === 0 || bytesWritten !== unproven.bytesWritten) {
        unproven.bytesWritten = bytesWritten
        unproven.readAt = now
      } else if (now - readAt > this.timeouts.unreadMs + writableLength / readBytesPerMs) {
        accepted.destroy()
      }
    }
  }
}

type Ends = Pick<HttpSocket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>

function getId(socket: Ends): ConnectionId {
  const { remoteAddress, remotePort, localAddress, localPort } = socket
  return remotePort === undefined ? socket : `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}
