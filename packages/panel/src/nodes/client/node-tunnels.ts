import { randomUUID } from 'node:crypto'
import { type ClientHttp2Session, connect } from 'node:http2'
import type { Duplex } from 'node:stream'
import { keepTunnelAlive, maxTunnelStreams, tunnelSessionOptions } from '@innkeeper/contract/node-link/tunnel'
import type { Logger } from 'pino'

interface Deps {
  readonly log: Logger
  readonly pings?: Parameters<typeof keepTunnelAlive>[1]
}

/** The node that has opened a tunnel: it is another one after it has joined again. */
export interface TunnelOwner {
  readonly nodeId: number
  readonly joinedAt: number
}

interface Tunnel extends TunnelOwner {
  readonly session: ClientHttp2Session
  streams: number
}

/** The tunnels that nodes have opened to this panel, at most one of each node. */
export class NodeTunnels {
  /** Names this panel to nodes. */
  readonly panelId = randomUUID()
  readonly #deps: Deps
  readonly #tunnels = new Map<number, Tunnel>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The owners of all tunnels. */
  get owners(): readonly TunnelOwner[] {
    return [...this.#tunnels.values()]
  }

  has(nodeId: number): boolean {
    return this.#tunnels.has(nodeId)
  }

  /** Uses a connection that an authenticated node has opened; it replaces an earlier one. */
  add({ nodeId, joinedAt }: TunnelOwner, connection: Duplex): void {
    const { log, pings } = this.#deps
    this.close(nodeId)
    const session = connect('http://node', { ...tunnelSessionOptions, createConnection: () => connection })
    const tunnel: Tunnel = { nodeId, joinedAt, session, streams: 0 }
    this.#tunnels.set(nodeId, tunnel)
    session.once('connect', () => keepTunnelAlive(session, pings))
    session.on('error', (error: Error) => log.info({ err: error, nodeId }, 'the tunnel of a node failed'))
    session.once('close', () => {
      connection.destroy()
      if (this.#tunnels.get(nodeId) !== tunnel) return
      this.#tunnels.delete(nodeId)
      log.info({ nodeId }, 'the tunnel of a node has ended')
    })
    log.info({ nodeId }, 'a node has opened a tunnel to this panel')
  }

  /** Opens a connection to the HTTP server of a node; undefined when it has no tunnel. */
  openStream(nodeId: number): Duplex | undefined {
    const tunnel = this.#tunnels.get(nodeId)
    if (!tunnel || tunnel.session.destroyed || tunnel.session.closed) return undefined
    if (tunnel.streams >= maxTunnelStreams) throw new Error('Too many connections are open to this node.')
    const stream = tunnel.session.request({ ':method': 'CONNECT', ':authority': 'node' })
    tunnel.streams++
    // Whoever reads the connection gets the error.
    stream.on('error', () => {})
    stream.once('close', () => {
      tunnel.streams--
    })
    return stream
  }

  close(nodeId: number): void {
    this.#tunnels.get(nodeId)?.session.destroy()
    this.#tunnels.delete(nodeId)
  }

  closeAll(): void {
    for (const nodeId of this.#tunnels.keys()) this.close(nodeId)
  }
}
