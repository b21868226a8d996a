import type { IncomingMessage, Server } from 'node:http'
import { Socket } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type Connection, isLocal, peerUid } from './local-peer.ts'

/** The users that servers run as. */
export interface ServerUids {
  readonly first: number
  readonly count: number
}

interface Options {
  /** Addresses and networks of trusted proxies. */
  readonly proxies: readonly string[]
  /** Processes of these users are never trusted, from any address. */
  readonly serverUids: ServerUids | undefined
  readonly log: Logger
}

/** Headers of a proxy about the client. */
const forwardedHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const

/** The process at the other end of a connection. */
interface Peer {
  readonly isProxy: boolean
  readonly uid?: number | undefined
}

export type ProxyTrust = ReturnType<typeof proxyTrust>

/**
 * Decides which proxies are trusted: those with a configured address, and those on the proxy's unix socket. Servers
 * share the addresses of the machine, so that a local proxy is trusted only when the process of its connection is not a
 * server.
 */
export function proxyTrust({ proxies, serverUids, log }: Options) {
  const isListed = compile([...proxies])
  const bySocketFile = new WeakSet<Socket>()
  let wasIgnored = false
  let wasNameless = false
  /** Checked once per connection, when it is accepted: the owner of the other end cannot change. */
  const checked = new WeakMap<Socket, Promise<Peer>>()

  function readPeer(socket: Socket): Promise<Peer> | undefined {
    const known = checked.get(socket)
    const connection = known ? undefined : findEnds(socket)
    if (!connection) return known
    const peer = check(connection, serverUids).catch(uidUnknown)
    checked.set(socket, peer)
    return peer
  }

  function uidUnknown(error: unknown): Peer {
    log.warn({ err: error }, 'the process of a connection is unknown, so that it is not trusted as a proxy')
    return { isProxy: false }
  }

  /** Whether the forwarded headers of a request are trusted. */
  async function isTrusted({ socket }: IncomingMessage): Promise<boolean> {
    // An injected request has no connection.
    if (!(socket instanceof Socket) || bySocketFile.has(socket)) return true
    const { isProxy, uid } = (await checked.get(socket)) ?? { isProxy: false }
    const address = socket.remoteAddress
    if (!isProxy && address !== undefined && isListed(address, 0)) {
      log[wasIgnored ? 'debug' : 'warn'](
        { uid, address },
        'the X-Forwarded headers of a process on this machine are ignored: it may be a server, not the proxy',
      )
      wasIgnored = true
    }
    return isProxy
  }

  /** Clients of a proxy on the unix socket that names none have no address: for limits they count as one. */
  function nameClient({ socket, headers }: IncomingMessage): void {
    if (!(socket instanceof Socket) || !bySocketFile.has(socket) || headers['x-forwarded-for']) return
    if (!wasNameless)
      log.warn(
        'the proxy on the unix socket sends no X-Forwarded-For header, so that all clients count as one: see docs/reverse-proxy.md',
      )
    wasNameless = true
    headers['x-forwarded-for'] = 'unknown'
  }

  return {
    /** Fastify's `trustProxy`: whether an address is that of a proxy. Connections of a unix socket have none. */
    isProxy: (address: string | undefined, hop: number): boolean =>
      address === undefined ? hop === 0 : isListed(address, hop),

    /** Checks the connections of the public listener. */
    watch(server: Server, isTls: boolean): void {
      if (proxies.length === 0) return
      server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => void readPeer(socket))
    },

    /** Whether a new connection is that of a trusted proxy, before it has sent anything. */
    isProxyConnection(socket: Socket): boolean | Promise<boolean> {
      const connection = findEnds(socket)
      if (!connection) return bySocketFile.has(socket)
      if (!isListed(connection.remoteAddress, 0)) return false
      return isLocal(connection) ? (readPeer(socket)?.then(({ isProxy }) => isProxy) ?? false) : true
    },

    /** Trusts all connections of a unix socket that servers cannot reach. */
    trustSocketFile(server: Server): void {
      server.on('connection', (socket: Socket) => bySocketFile.add(socket))
    },

    /**
     * Removes forwarded headers that are not from a trusted proxy. Register this before anything that reads the client
     * address.
     */
    stripUntrustedHeaders(app: FastifyInstance): void {
      app.addHook('onRequest', ({ raw }, _reply, done) => {
        nameClient(raw)
        const claims = forwardedHeaders.filter((name) => raw.headers[name] !== undefined)
        if (claims.length === 0) return done()
        isTrusted(raw).then((isProxy) => {
          if (!isProxy) for (const name of claims) delete raw.headers[name]
          done()
        }, done)
      })
    },
  }
}

function findEnds({ remoteAddress, remotePort, localAddress, localPort }: Socket): Connection | undefined {
  if (remoteAddress === undefined || remotePort === undefined) return undefined
  if (localAddress === undefined || localPort === undefined) return undefined
  return { remoteAddress, remotePort, localAddress, localPort }
}

async function check(connection: Connection, serverUids: ServerUids | undefined): Promise<Peer> {
  if (!isLocal(connection)) return { isProxy: true }
  const uid = await peerUid(connection)
  return { uid, isProxy: uid !== undefined && !(serverUids && isServer(uid, serverUids)) }
}

function isServer(uid: number, { first, count }: ServerUids): boolean {
  return uid >= first && uid < first + count
}
