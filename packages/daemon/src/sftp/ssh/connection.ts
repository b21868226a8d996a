import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type SftpLogin, sftpLogin } from '@innkeeper/contract/node-link/node-to-panel'
import { parseSftpUser } from '@innkeeper/contract/node-link/sftp'
import type { Logger } from 'pino'
import type { ServerChannel, Connection as SshConnection, Session as SshSession } from 'ssh2'
import type { RootFs } from '../../files/root.ts'
import type { FileChanges } from '../../panel-link/file-changes.ts'
import type { PanelLink } from '../../panel-link/panel-link.ts'
import type { BufferPools } from '../protocol/buffer-pools.ts'
import type { FilesOfServer } from '../session/files-of-server.ts'
import type { GrantRefresher } from '../session/grant-refresher.ts'
import type { HandleLimiter } from '../session/handle-limiter.ts'
import { SftpSession, sessionChanges } from '../session/session.ts'
import type { SftpRelay } from '../session/sftp-relay.ts'
import { channelIo, receiveWindow } from './channel-io.ts'
import { type DisconnectReason, disconnect } from './disconnect.ts'
import { type LoggedInUser, Login } from './login.ts'

const idleTimeoutMs = 30 * 60 * 1000

export interface ConnectionDeps {
  readonly panel: Pick<PanelLink, 'request'>
  readonly find: (server: string) => FilesOfServer | undefined
  /** For servers that are not found. */
  readonly relay?: SftpRelay | undefined
  readonly changes: Pick<FileChanges, 'record' | 'hasWritten'>
  readonly grantRefresher: GrantRefresher
  readonly buffers: BufferPools
  readonly handleLimiter: HandleLimiter
  /** Reserves a session of a user, and returns a function that releases it; at a limit, a text for the user. */
  readonly reserveSession: (user: LoggedInUser) => (() => void) | string
  /** Called after the login; cancels its timeout. */
  readonly onLogin: () => void
  readonly log: Logger
}

/** The files of a server that a user has opened. */
interface AttendedFiles {
  readonly files: RootFs
  readonly server: FilesOfServer
  readonly grant: LoggedInUser['grant']
}

const none: ReadonlySet<RequiredPermission> = new Set()

/** Maximum number of sessions per connection. */
const maxChannels = 10
/** A client that exceeds its window by this much does so on purpose. */
const maxUnreadBytes = 8 * 1024 * 1024
/** Time between the disconnect message and the forced close. */
const closeGraceMs = 1_000

/**
 * Whether a client sends the paths of SYMLINK in the order of OpenSSH, target first, to any server. Others do so only
 * when the server calls itself OpenSSH (libssh, AsyncSSH, ssh2), and to others in that of the standard.
 */
export function hasLinkPathLast(software: string): boolean {
  return /^(OpenSSH|dropbear|paramiko|libssh2_|Go\b|rclone|JSCH)/i.test(software)
}

/** A client connection from its first byte to its end. */
export class Connection {
  readonly #deps: ConnectionDeps
  readonly #socket: Socket
  readonly #client: SshConnection
  readonly #login: Login
  readonly #sessions = new Set<SftpSession>()
  readonly #relayed = new Set<Duplex>()
  /** Time of the last packet for another node, monotonic. */
  #relayedAt = 0
  readonly #software: string
  /** Channels that paused the socket. */
  readonly #pausedChannels = new Set<ServerChannel>()
  readonly #unsubscribers: (() => void)[] = []
  readonly #linkPathLast: boolean
  readonly #address: string
  #channels = 0
  #permissions: ReadonlySet<RequiredPermission> = new Set()
  #idle: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor(client: SshConnection, socket: Socket, software: string, deps: ConnectionDeps) {
    this.#client = client
    this.#socket = socket
    this.#deps = deps
    this.#linkPathLast = hasLinkPathLast(software)
    this.#software = software
    this.#address = socket.remoteAddress ?? ''
    this.#login = new Login({
      request: (login) => this.#requestLogin(login),
      address: this.#address,
      reserveSession: (user) => this.#admit(user),
      end: (reason, text) => this.end('the sign-in failed', { reason, text }),
      log: deps.log,
    })
    client.on('authentication', (context) => void this.#login.authenticate(context))
    client.once('ready', () => {
      deps.onLogin()
      this.#begin()
    })
    client.on('session', (accept, reject) => this.#offer(accept, reject))
    // An error ends only this connection.
    client.on('error', (error: Error) => deps.log.debug({ err: error }, 'an SFTP connection failed'))
    socket.once('close', () => this.#cleanUp())
  }

  /** Sends the disconnect message, with a text for the user, and closes the socket after a grace time. */
  end(why: string, shown?: { readonly reason: DisconnectReason; readonly text: string }): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { user } = this.#login
    if (user) this.#deps.log.info({ user: user.username, server: user.grant.server, why }, 'an SFTP session ended')
    if (shown) disconnect(this.#client, shown.reason, shown.text)
    else this.#client.end()
    const timeout = setTimeout(() => this.#socket.destroy(), closeGraceMs)
    this.#socket.once('close', () => clearTimeout(timeout))
    for (const session of this.#sessions) void session.close()
  }

  #requestLogin(body: SftpLogin): Promise<ResponseOf<typeof sftpLogin>> {
    const { panel, relay, find } = this.#deps
    const server = parseSftpUser(body.user)?.server
    return relay && !(server !== undefined && find(server)) ? relay.login(body) : panel.request(sftpLogin, { body })
  }

  #admit(user: LoggedInUser): string | undefined {
    if (this.#hasEnded || this.#socket.destroyed) return 'The connection has ended.'
    const release = this.#deps.reserveSession(user)
    if (typeof release === 'string') return release
    this.#unsubscribers.push(release)
    return undefined
  }

  /** Called after a successful login. */
  #begin(): void {
    const { user } = this.#login
    const server = user && this.#deps.find(user.grant.server)
    if (!user || !(server || this.#deps.relay) || this.#socket.destroyed) {
      this.end('the server does not exist any more')
      return
    }
    this.#watchIdle()
    this.#deps.log.info({ user: user.username, server: user.grant.server }, 'an SFTP session has begun')
    // The node of the server refreshes the permissions.
    if (!server) return
    this.#permissions = new Set(user.permissions)
    if (this.#endIfSuspended(server)) return
    const session = {
      grant: user.grant,
      update: (permissions: ReadonlySet<RequiredPermission>) => {
        this.#permissions = permissions
      },
      end: (why: string) => this.end(why),
    }
    this.#unsubscribers.push(this.#deps.grantRefresher.watch(session))
    this.#unsubscribers.push(server.onRemoved(() => this.end('the server was deleted')))
    this.#unsubscribers.push(server.onSuspended(() => this.#endIfSuspended(server)))
  }

  #endIfSuspended({ suspension }: FilesOfServer): boolean {
    if (!suspension || this.#permissions.has('admin')) return false
    const { reason } = suspension
    const { message: text } = new Refusal('ErrServerSuspended', { reason })
    this.end('the server is suspended', { reason: 'byApplication', text })
    return true
  }

  #watchIdle(): void {
    const opened = performance.now()
    this.#idle = setInterval(() => {
      const used = Math.max(opened, this.#relayedAt, ...[...this.#sessions].map(({ usedAt }) => usedAt))
      if (performance.now() - used > idleTimeoutMs) this.end('idle timeout')
    }, idleTimeoutMs / 10)
    this.#idle.unref()
    this.#unsubscribers.push(() => clearInterval(this.#idle))
  }

  #offer(accept: () => SshSession, reject: () => void): void {
    if (this.#channels >= maxChannels || this.#hasEnded) {
      reject()
      return
    }
    this.#channels++
    const session = accept()
    session.once('close', () => {
      this.#channels--
    })
    // Without listeners ssh2 refuses shells, commands, terminals, environment variables and forwarding.
    session.on('subsystem', (accept, refuse, { name }) => {
      if (name === 'sftp') void this.#serve(accept)
      else refuse()
    })
  }

  async #serve(accept: () => ServerChannel): Promise<void> {
    const { user } = this.#login
    const server = user && this.#deps.find(user.grant.server)
    if (user && !server && this.#deps.relay) return await this.#relay(accept(), user, this.#deps.relay)
    if (!user || !server) return this.end('the server does not exist any more')
    const channel = accept()
    channel.on('error', (error: Error) => this.#deps.log.debug({ err: error }, 'an SFTP channel failed'))
    try {
      const files = await server.openFilesForSftp(user.username, () => this.#permissions)
      if (this.#hasEnded || this.#socket.destroyed) return await files[Symbol.asyncDispose]()
      this.#attend(channel, { files, server, grant: user.grant })
    } catch (error) {
      this.#deps.log.warn({ err: error, server: user.grant.server }, 'failed to open the files of a server')
      this.end('failed to open its files')
    }
  }

  /** Passes the packets of a channel to the node of the server, and its responses back. */
  async #relay(channel: ServerChannel, { grant, username }: LoggedInUser, relay: SftpRelay): Promise<void> {
    const { log } = this.#deps
    channel.on('error', (error: Error) => log.debug({ err: error }, 'an SFTP channel failed'))
    const user = { grant, username, address: this.#address, software: this.#software }
    const stream = await relay.open(user).catch((error: unknown) => {
      log.info({ err: error, server: grant.server }, 'a node opens no SFTP session')
      return undefined
    })
    if (!stream) return this.end('its node opens no session')
    if (this.#hasEnded || channel.destroyed) {
      stream.destroy()
      return
    }
    this.#relayed.add(stream)
    let isFinished = false
    channel.once('end', () => {
      isFinished = true
    })
    stream.on('error', (error: Error) =>
      log.debug({ err: error }, 'the connection of an SFTP session to its node failed'),
    )
    stream.once('end', () => {
      // Clients are the first to end a session: otherwise responses may be missing.
      if (!isFinished) return
      // They wait for the exit status of the subsystem and the end of its channel.
      channel.exit(0)
      channel.end()
    })
    stream.once('close', () => {
      this.#relayed.delete(stream)
      if (!isFinished) this.end('its node has ended the session')
    })
    channel.on('data', () => {
      this.#relayedAt = performance.now()
    })
    channel.once('close', () => stream.destroy())
    stream.pipe(channel, { end: false })
    channel.pipe(stream)
  }

  #attend(channel: ServerChannel, { files, server, grant }: AttendedFiles): void {
    const socket = this.#socket
    const author = { userId: grant.userId, server: grant.server, address: this.#address }
    const session = new SftpSession({
      io: channelIo(channel, socket, this.#pausedChannels),
      files,
      // Files opened while a server is removed would keep its directory alive.
      permissions: () => (server.isBeingRemoved ? none : this.#permissions),
      linkPathLast: this.#linkPathLast,
      changes: sessionChanges(this.#deps.changes, author),
      buffers: this.#deps.buffers,
      openHandles: this.#deps.handleLimiter.of(grant.userId),
      log: this.#deps.log,
    })
    this.#sessions.add(session)
    const drained = () => session.drained()
    const watch = () => {
      if (channel.readableLength > maxUnreadBytes) socket.destroy()
    }
    socket.on('drain', drained)
    socket.on('data', watch)
    const extendWindow = receiveWindow(this.#client, channel)
    channel.on('data', (chunk: Buffer) => {
      session.receive(chunk)
      extendWindow()
    })
    channel.once('end', () => session.finish())
    channel.once('close', () => {
      socket.off('drain', drained)
      socket.off('data', watch)
      this.#sessions.delete(session)
      void session.close()
    })
  }

  #cleanUp(): void {
    this.#hasEnded = true
    for (const unsubscribe of this.#unsubscribers.splice(0)) unsubscribe()
    for (const session of this.#sessions) void session.close()
    this.#sessions.clear()
    for (const stream of this.#relayed) stream.destroy()
  }
}
