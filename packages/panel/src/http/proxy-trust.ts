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
  /** Addresses and networks of proxies. */
  readonly proxies: readonly string[]
  /** Whoever runs as one of these users is no proxy, whatever address it comes from. */
  readonly serverUids: ServerUids | undefined
  readonly log: Logger
}

/** What a proxy says about the client of a request. */
const forwardedHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const

export type ProxyTrust = ReturnType<typeof proxyTrust>

/**
 * Which proxies are believed about the client of a request: those of the configured addresses, and those that come by the
 * socket of the proxy. Servers share the machine's addresses, so that a proxy on this machine is believed only when the
 * process that made the connection is no server.
 */
export function proxyTrust({ proxies, serverUids, log }: Options) {
  const isListed = compile([...proxies])
  const bySocketFile = new WeakSet<Socket>()
  let wasIgnored = false
  /** Asked once per connection, when it is accepted: what the kernel says of its other end does not change. */
  const checked = new WeakMap<Socket, Promise<boolean>>()

  async function check(connection: Connection): Promise<boolean> {
    if (!isLocal(connection)) return true
    const uid = await peerUid(connection)
    const isProxy = uid !== undefined && !isServer(uid)
    if (!isProxy && isListed(connection.remoteAddress, 0)) {
      log[wasIgnored ? 'debug' : 'warn'](
        { uid, address: connection.remoteAddress },
        'the X-Forwarded headers of a process on this machine are ignored: it may be a server, not the proxy',
      )
      wasIgnored = true
    }
    return isProxy
  }

  function uidUnknown(error: unknown): boolean {
    log.warn({ err: error }, 'which process made a connection is not known: it is taken for no proxy')
    return false
  }

  function isServer(uid: number): boolean {
    return serverUids !== undefined && uid >= serverUids.first && uid < serverUids.first + serverUids.count
  }

  /** Whether what a request says about its client may be used. */
  async function isTrusted({ socket }: IncomingMessage): Promise<boolean> {
    // A request from inside the process has no connection.
    if (!(socket instanceof Socket) || bySocketFile.has(socket)) return true
    return (await checked.get(socket)) ?? false
  }

  return {
    /** For Fastify: whether an address is that of a proxy. What came by a socket file has none. */
    isProxy: (address: string | undefined, hop: number): boolean =>
      address === undefined ? hop === 0 : isListed(address, hop),

    /** Looks at the connections of the listener that everybody reaches. */
    watch(server: Server, isTls: boolean): void {
      if (proxies.length === 0) return
      server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
        const connection = endsOf(socket)
        if (connection) checked.set(socket, check(connection).catch(uidUnknown))
      })
    },

    /** Believes everything that comes by a socket file that servers cannot reach. */
    trustSocketFile(server: Server): void {
      server.on('connection', (socket: Socket) => bySocketFile.add(socket))
    },

    /** Drops what a request says about its client unless a proxy says it. Register this before what asks for the client. */
    stripUntrustedHeaders(app: FastifyInstance): void {
      app.addHook('onRequest', async ({ raw }) => {
        const claims = forwardedHeaders.filter((name) => raw.headers[name] !== undefined)
        if (claims.length === 0 || (await isTrusted(raw))) return
        for (const name of claims) delete raw.headers[name]
      })
    },
  }
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): Connection | undefined {
  if (remoteAddress === undefined || remotePort === undefined) return undefined
  if (localAddress === undefined || localPort === undefined) return undefined
  return { remoteAddress, remotePort, localAddress, localPort }
}
