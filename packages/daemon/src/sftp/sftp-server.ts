import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { ConnectionLimiter, type ConnectionLimits, limitWarning } from '@innkeeper/contract/http/connection-limiter'
import type { SftpGrant } from '@innkeeper/contract/node-link/node-to-panel'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import ssh2 from 'ssh2'
import type { FileChanges } from '../panel-link/file-changes.ts'
import type { PanelLink } from '../panel-link/panel-link.ts'
import { BufferPools } from './protocol/buffer-pools.ts'
import type { FilesOfServer } from './session/files-of-server.ts'
import { GrantRefresher } from './session/grant-refresher.ts'
import { HandleLimiter, type HandleLimits } from './session/handle-limiter.ts'
import { serveRelayedSession } from './session/relayed-session.ts'
import type { RelayedUser, SftpRelay } from './session/sftp-relay.ts'
import { Connection, hasLinkPathLast } from './ssh/connection.ts'

const loginTimeoutMs = 60_000

interface Deps {
  readonly panel: Pick<PanelLink, 'request'>
  readonly find: (server: string) => FilesOfServer | undefined
  /** For servers that are not found. */
  readonly relay?: SftpRelay | undefined
  /** Records what users change. */
  readonly changes: Pick<FileChanges, 'record' | 'hasWritten'>
  /** The private host keys, preferred one first. */
  readonly hostKeys: readonly string[]
  readonly connectionLimits: ConnectionLimits
  readonly handleLimits: HandleLimits
  readonly log: Logger
  /** Overrides of limits, for tests. */
  readonly refreshEveryMs?: number
  readonly maxUnconfirmedMs?: number
  readonly loginTimeoutMs?: number
}

/** Time between the disconnect message and the forced close. */
const closeGraceMs = 1_000

/** Offered algorithms: without SHA-1, CBC and small groups. */
const algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256',
    'diffie-hellman-group16-sha512',
  ],
  serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256'],
  // The client's preference wins, so slow algorithms are not offered.
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
} satisfies ssh2.Algorithms

/** The SFTP server of a node. */
export class SftpServer {
  readonly #deps: Deps
  readonly #ssh: ssh2.Server
  readonly #listener: Server
  readonly #grantRefresher: GrantRefresher
  readonly #buffers = new BufferPools()
  readonly #handleLimiter: HandleLimiter
  /** By remote address and port. */
  readonly #sockets = new Map<string, Socket>()
  readonly #deadlines = new WeakMap<Socket, NodeJS.Timeout>()
  readonly #connections = new Set<Connection>()
  readonly #relayed = new Set<Duplex>()
  readonly #limiter: ConnectionLimiter<Socket>
  readonly #warn: (address: string | undefined) => void
  #sessions = 0
  #isClosing = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#limiter = new ConnectionLimiter(deps.connectionLimits)
    this.#handleLimiter = new HandleLimiter(deps.handleLimits)
    this.#warn = limitWarning((message) => deps.log.warn(`SFTP: ${message}`))
    const { panel, log, refreshEveryMs: everyMs, maxUnconfirmedMs } = deps
    this.#grantRefresher = new GrantRefresher({
      panel,
      log,
      ...(everyMs === undefined ? {} : { everyMs }),
      ...(maxUnconfirmedMs === undefined ? {} : { maxUnconfirmedMs }),
    })
    this.#ssh = new ssh2.Server({ hostKeys: [...deps.hostKeys], ident: 'Innkeeper', algorithms }, (client, info) =>
      this.#onClient(client, info),
    )
    this.#ssh.on('error', (error: Error) => log.debug({ err: error }, 'an SFTP connection failed'))
    // Nagle's algorithm makes writing three times slower.
    this.#listener = createServer({ noDelay: true }, (socket) => this.#onConnection(socket))
  }

  /** Throws when the port is in use. */
  async listen(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#listener.once('error', reject)
      this.#listener.listen(port, host, () => {
        this.#listener.off('error', reject)
        resolve()
      })
    })
    this.#listener.on('error', (error) => this.#deps.log.error({ err: error }, 'the SFTP listener failed'))
    const address = this.#listener.address()
    return typeof address === 'object' && address ? address.port : port
  }

  /** Returns the port; undefined when it is in use, which is only logged: the rest of the program works. */
  async tryListen(host: string, port: number): Promise<number | undefined> {
    const { log } = this.#deps
    try {
      const listeningPort = await this.listen(host, port)
      log.info({ host, port: listeningPort }, 'SFTP is served')
      return listeningPort
    } catch (error) {
      log.error({ err: error, host, port }, `SFTP is not served: failed to listen on ${host}:${port}`)
      return undefined
    }
  }

  /** Serves the session of a user whose SSH connection ends at a panel. */
  async serveRelayed(stream: Duplex, user: RelayedUser, permissions: ReadonlySet<RequiredPermission>): Promise<void> {
    const { find, log } = this.#deps
    const { grant, software, username } = user
    stream.on('error', (error) => log.debug({ err: error }, 'an SFTP session of a panel failed'))
    const server = this.#isClosing ? undefined : find(grant.server)
    const release = server ? this.#reserveSession(grant) : 'The server does not exist any more.'
    if (!server || typeof release === 'string') {
      log.info({ user: username, server: grant.server, why: release }, 'an SFTP session of a panel was refused')
      stream.destroy()
      return
    }
    this.#relayed.add(stream)
    try {
      const session = { user, permissions, linkPathLast: hasLinkPathLast(software), server }
      await serveRelayedSession(stream, session, {
        ...this.#deps,
        grantRefresher: this.#grantRefresher,
        buffers: this.#buffers,
        handleLimiter: this.#handleLimiter,
      })
    } finally {
      stream.destroy()
      this.#relayed.delete(stream)
      release()
    }
  }

  /** Number of open sessions. */
  get sessions(): number {
    return this.#sessions
  }

  /** Number of connected clients, including those not logged in. */
  get connections(): number {
    return this.#sockets.size
  }

  async close(): Promise<void> {
    this.#isClosing = true
    const closed = new Promise<void>((resolve) => this.#listener.close(() => resolve()))
    for (const connection of this.#connections) connection.end('the node is stopping')
    for (const stream of this.#relayed) stream.destroy()
    const timeout = setTimeout(() => this.#cutOff(), closeGraceMs)
    if (this.#connections.size === 0) this.#cutOff()
    await Promise.all([closed, this.#grantRefresher.close()])
    clearTimeout(timeout)
  }

  #cutOff(): void {
    for (const socket of this.#sockets.values()) socket.destroy()
  }

  #onConnection(socket: Socket): void {
    const { remoteAddress: address, remotePort } = socket
    // The client has closed it already.
    if (address === undefined) {
      socket.destroy()
      return
    }
    const replaced = this.#limiter.open(socket, address)
    if (replaced) {
      this.#warn(replaced.remoteAddress)
      replaced.destroy()
    }
    if (replaced === socket) return
    const key = `${address} ${remotePort}`
    this.#sockets.set(key, socket)
    // Login timeout, also for clients that send nothing.
    const timeout = setTimeout(() => socket.destroy(), this.#deps.loginTimeoutMs ?? loginTimeoutMs)
    this.#deadlines.set(socket, timeout)
    socket.once('close', () => {
      clearTimeout(timeout)
      this.#sockets.delete(key)
      this.#limiter.close(socket)
    })
    socket.on('error', () => socket.destroy())
    this.#ssh.injectSocket(socket)
  }

  /** A client has identified itself: ssh2 reports it by remote address. */
  #onClient(client: ssh2.Connection, { ip, port, header }: ssh2.ClientInfo): void {
    const socket = this.#sockets.get(`${ip} ${port}`)
    if (!socket || this.#isClosing) {
      client.end()
      return
    }
    const { panel, find, relay, changes, log } = this.#deps
    const connection = new Connection(client, socket, header.versions.software, {
      panel,
      find,
      relay,
      changes,
      log,
      grantRefresher: this.#grantRefresher,
      buffers: this.#buffers,
      handleLimiter: this.#handleLimiter,
      reserveSession: ({ grant }) => this.#reserveSession(grant, socket),
      onLogin: () => clearTimeout(this.#deadlines.get(socket)),
    })
    this.#connections.add(connection)
    socket.once('close', () => this.#connections.delete(connection))
  }

  #reserveSession({ userId }: SftpGrant, socket?: Socket): (() => void) | string {
    if (this.#sessions >= limits.sftpSessions)
      return `Too many connections: this node accepts ${limits.sftpSessions} at the same time. Try again later.`
    if (socket && !this.#limiter.authenticate(socket, `user ${userId}`))
      return `Too many connections: a user can have ${this.#deps.connectionLimits.perOwner} at the same time. Close others first.`
    this.#sessions++
    return () => {
      this.#sessions--
    }
  }
}
