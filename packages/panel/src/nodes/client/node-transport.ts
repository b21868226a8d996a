import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import { limits } from '@innkeeper/contract/text/limits'
import { buildConnector } from 'undici'

/** Opens the connections of a client to its node. Whoever uses them need not know the way. */
export interface NodeTransport {
  /** Whether the node is on this machine: its connections cannot be cut without notice. */
  readonly isLocal: boolean
  connect(): Promise<Socket>
}

/** A node on this machine. */
export function localTransport(socketPath: string): NodeTransport {
  const connect = buildConnector({ socketPath })
  return { isLocal: true, connect: () => opened(connect, { hostname: 'node', protocol: 'http:', port: '80' }) }
}

/** A node on another machine. */
export interface RemoteNode {
  /** Empty when no panel reaches it. */
  readonly host: string
  readonly port: number
  /** The pinned certificate, PEM; empty when it has one from a certificate authority. */
  readonly certificate: string
}

/** How the connections of a transport are opened at the moment. */
export type NodeWay = 'direct' | 'tunnel'

/**
 * Connections to the address of a node; through the tunnel that the node has opened when the address does not respond.
 * In both cases the panel verifies the certificate of the node.
 */
export class RemoteTransport implements NodeTransport {
  readonly isLocal = false
  readonly #node: RemoteNode
  readonly #openStream: () => Duplex | undefined
  readonly #connect: buildConnector.connector
  #way: NodeWay

  /** `openStream` opens a stream of the tunnel; undefined while there is none. */
  constructor(node: RemoteNode, openStream: () => Duplex | undefined) {
    this.#node = node
    this.#openStream = openStream
    this.#way = node.host === '' ? 'tunnel' : 'direct'
    this.#connect = buildConnector({
      ...pinnedCertificate(node),
      timeout: limits.nodeUsageMs,
      allowH2: false,
    } as buildConnector.BuildOptions)
  }

  async connect(): Promise<Socket> {
    if (this.#way === 'direct') {
      try {
        return await this.#connectDirectly()
      } catch (error) {
        const stream = this.#openStream()
        if (!stream) throw error
        // Later connections do not wait for the address. A check finds out when it responds again.
        this.#way = 'tunnel'
        return await this.#connectThrough(stream)
      }
    }
    const stream = this.#openStream()
    return stream ? await this.#connectThrough(stream) : await this.#connectDirectly()
  }

  /** Checks the address, which has precedence over the tunnel. Returns whether it responds. */
  async checkDirect(): Promise<boolean> {
    try {
      const socket = await this.#connectDirectly()
      socket.destroy()
      this.#way = 'direct'
      return true
    } catch {
      // Why it does not respond is the answer to the next request, unless there is a tunnel.
      return false
    }
  }

  async #connectDirectly(): Promise<Socket> {
    const { host, port } = this.#node
    if (host === '') throw new Error('This node has no address, and no tunnel to this panel.')
    return await opened(this.#connect, { hostname: host, host, protocol: 'https:', port: String(port) })
  }

  async #connectThrough(stream: Duplex): Promise<Socket> {
    const name = this.#node.host || 'node'
    // TLS takes any stream; only the type asks for a socket.
    const httpSocket = stream as Socket
    const options = { hostname: name, ...(isIP(name) ? {} : { servername: name }), protocol: 'https:', port: '443' }
    try {
      return await opened(this.#connect, { ...options, httpSocket })
    } catch (error) {
      stream.destroy()
      throw error
    }
  }
}

/** Trusts exactly the certificate that the node presented when it joined, with any host name. */
function pinnedCertificate({ certificate }: Pick<RemoteNode, 'certificate'>): TlsOptions {
  const minVersion = 'TLSv1.3'
  if (certificate === '') return { minVersion }
  return { minVersion, ca: certificate, checkServerIdentity: () => undefined }
}

type TlsOptions = Pick<ConnectionOptions, 'minVersion' | 'ca' | 'checkServerIdentity'>

function opened(connect: buildConnector.connector, options: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(options, (error, socket) => {
      if (error) reject(error)
      else resolve(socket)
    })
  })
}
