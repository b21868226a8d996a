import type { Socket } from 'node:net'
import { limits } from '@innkeeper/contract/limits'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import type { Logger } from 'pino'
import type { ServerChannel, Connection as SshConnection, Session as SshSession } from 'ssh2'
import type { RootFs } from '../../files/root.ts'
import type { PanelLink } from '../../panel-link/panel-link.ts'
import type { GrantRefresher } from '../session/grant-refresher.ts'
import { SftpSession } from '../session/session.ts'
import type { BufferPools } from './buffer-pools.ts'
import { channelIo } from './channel-io.ts'
import { type LoggedIn, Login } from './login.ts'
import { receiveWindow } from './receive-window.ts'

/** What SFTP needs to know of a server. */
export interface FilesOfServer {
  /** Whether it is being removed; that takes a while. */
  readonly isBeingRemoved: boolean
  openFiles(): Promise<RootFs>
  /** Tells when the server is removed, until the answer is called. */
  onRemoved(leave: () => void): () => void
}

export interface ConnectionDeps {
  readonly panel: Pick<PanelLink, 'ask'>
  readonly find: (server: string) => FilesOfServer | undefined
  readonly grantRefresher: GrantRefresher
  readonly buffers: BufferPools
  /** Takes a place for a person's session; `undefined` when there is none. The answer gives it back. */
  readonly reserveSession: (user: LoggedIn) => (() => void) | undefined
  /** The login is over: its deadline no longer counts. */
  readonly onLogin: () => void
  readonly log: Logger
}

const none: ReadonlySet<RequiredPermission> = new Set()

/** Sessions side by side in one connection. */
const maxChannels = 10
/** A client that sends more than it was given room for does so on purpose. */
const maxUnreadBytes = 8 * 1024 * 1024
/** An end is said first; who does not go then is cut off. */
const closeGraceMs = 1_000

/** One connection of a client, from its first byte to its end. */
export class Connection {
  readonly #deps: ConnectionDeps
  readonly #socket: Socket
  readonly #client: SshConnection
  readonly #login: Login
  readonly #sessions = new Set<SftpSession>()
  /** Those that let the network wait. */
  readonly #pausedChannels = new Set<ServerChannel>()
  readonly #unsubscribers: (() => void)[] = []
  readonly #linkPathLast: boolean
  #channels = 0
  #rights: ReadonlySet<RequiredPermission> = new Set()
  #idle: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor(client: SshConnection, socket: Socket, software: string, deps: ConnectionDeps) {
    this.#client = client
    this.#socket = socket
    this.#deps = deps
    // These follow OpenSSH, which has the two paths of a link in the other order than the standard.
    this.#linkPathLast = /^(OpenSSH|dropbear|paramiko|libssh_)/i.test(software)
    this.#login = new Login({
      panel: deps.panel,
      address: socket.remoteAddress ?? '',
      reserveSession: (user) => this.#admit(user),
      end: () => this.end('the login failed'),
      log: deps.log,
    })
    client.on('authentication', (context) => void this.#login.authenticate(context))
    client.once('ready', () => {
      deps.onLogin()
      this.#begin()
    })
    client.on('session', (accept, reject) => this.#offer(accept, reject))
    // An error of one connection ends that one.
    client.on('error', (error: Error) => deps.log.debug({ err: error }, 'an SFTP connection failed'))
    socket.once('close', () => this.#leave())
  }

  /** Says goodbye and cuts off who stays. */
  end(why: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { user } = this.#login
    if (user) this.#deps.log.info({ user: user.username, server: user.grant.server, why }, 'an SFTP session ended')
    this.#client.end()
    const timeout = setTimeout(() => this.#socket.destroy(), closeGraceMs)
    this.#socket.once('close', () => clearTimeout(timeout))
    for (const session of this.#sessions) void session.close()
  }

  #admit(user: LoggedIn): boolean {
    if (this.#hasEnded || this.#socket.destroyed) return false
    const release = this.#deps.reserveSession(user)
    if (release) this.#unsubscribers.push(release)
    return release !== undefined
  }

  /** The login is done. */
  #begin(): void {
    const { user } = this.#login
    const server = user && this.#deps.find(user.grant.server)
    if (!user || !server || this.#socket.destroyed) {
      this.end('the server is gone')
      return
    }
    this.#rights = new Set(user.rights)
    const session = {
      grant: user.grant,
      update: (rights: ReadonlySet<RequiredPermission>) => {
        this.#rights = rights
      },
      end: (why: string) => this.end(why),
    }
    this.#unsubscribers.push(this.#deps.grantRefresher.watch(session))
    this.#unsubscribers.push(server.onRemoved(() => this.end('the server was deleted')))
    this.#watchIdle()
    this.#deps.log.info({ user: user.username, server: user.grant.server }, 'an SFTP session begins')
  }

  #watchIdle(): void {
    const opened = performance.now()
    this.#idle = setInterval(() => {
      const used = Math.max(opened, ...[...this.#sessions].map(({ usedAt }) => usedAt))
      if (performance.now() - used > limits.sftpIdleMs) this.end('nothing was asked for long')
    }, limits.sftpIdleMs / 10)
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
    // Without a listener for them, ssh2 refuses shells, programs, terminals, environments and forwarding.
    session.on('subsystem', (take, refuse, { name }) => {
      if (name === 'sftp') void this.#serve(take)
      else refuse()
    })
  }

  async #serve(take: () => ServerChannel): Promise<void> {
    const { user } = this.#login
    const server = user && this.#deps.find(user.grant.server)
    if (!user || !server) return this.end('the server is gone')
    const channel = take()
    channel.on('error', (error: Error) => this.#deps.log.debug({ err: error }, 'an SFTP channel failed'))
    try {
      const files = await server.openFiles()
      if (this.#hasEnded || this.#socket.destroyed) return await files[Symbol.asyncDispose]()
      this.#attend(channel, files, server)
    } catch (error) {
      this.#deps.log.warn({ err: error, server: user.grant.server }, 'the files of a server cannot be opened')
      this.end('its files cannot be opened')
    }
  }

  #attend(channel: ServerChannel, files: RootFs, server: FilesOfServer): void {
    const socket = this.#socket
    const session = new SftpSession({
      io: channelIo(channel, socket, this.#pausedChannels),
      files,
      // Files that came while a server is removed would keep its folder alive.
      rights: () => (server.isBeingRemoved ? none : this.#rights),
      linkPathLast: this.#linkPathLast,
      buffers: this.#deps.buffers,
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
      session.take(chunk)
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

  #leave(): void {
    this.#hasEnded = true
    for (const leave of this.#unsubscribers.splice(0)) leave()
    for (const session of this.#sessions) void session.close()
    this.#sessions.clear()
  }
}
