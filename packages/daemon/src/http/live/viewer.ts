import { scopeOfPermission } from '@innkeeper/contract/api/permissions'
import { validate } from '@innkeeper/contract/definitions/validate'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { hasPermission, type TicketPermissions } from '@innkeeper/contract/node-link/ticket'
import {
  ClientMessage,
  closeCodes,
  type FileMessage,
  type FileResponse,
  permissionFor,
  permissionOfMessage,
  permissionToReceive,
  type ServerMessage,
} from '@innkeeper/contract/servers/live'
import type { OutputShare } from '@innkeeper/contract/servers/output-rates'
import { encode, isShareRequest } from '@innkeeper/contract/servers/shared-output'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { Logger } from 'pino'
import type { RawData, WebSocket } from 'ws'
import type { Reader } from '../../console/console.ts'
import type { PowerAction } from '../../lifecycle/rules.ts'
import type { Server } from '../../servers/server.ts'
import { refusalFor } from '../requests/errors.ts'
import { handleFileMessage } from './file-messages.ts'
import { type LiveResponseLimiter, untilRead } from './live-response-limiter.ts'
import { ViewerTerminal } from './viewer-terminal.ts'

interface Deps {
  readonly socket: WebSocket
  readonly server: Server
  readonly permissions: TicketPermissions
  /** User id; undefined for the panel itself. */
  readonly userId: number | undefined
  /** Username, for the console. */
  readonly username: string | undefined
  readonly responses: LiveResponseLimiter
  readonly output: OutputShare
  readonly log: Logger
}

/**
 * One viewer of a server. Memory is bounded: console output is read from the ring buffer as fast as the viewer reads
 * and the rate of its user allows, an unsent status is replaced by the next one, and messages of a viewer that does not
 * read are not read either.
 */
export class Viewer {
  readonly #deps: Deps
  readonly #reader: Reader | undefined
  readonly #terminal: ViewerTerminal
  #isStatusDue = false
  #pendingFileResponses = 0
  /** While a replay seeks, output from the old position must wait. */
  #isSeeking = false
  /** Whether the panel has requested to send the output itself, and whether it does. */
  #sharing: 'off' | 'requested' | 'on' = 'off'

  constructor(deps: Deps) {
    this.#deps = deps
    const { socket, server, permissions, username, output, log } = deps
    this.#terminal = new ViewerTerminal({
      server,
      username,
      onSize: (size) => this.#sendMessage({ type: 'terminal', data: size }),
    })
    const unwatch = server.onStatus(() => {
      this.#isStatusDue = hasPermission(permissions, permissionToReceive.status)
      this.#flush()
    })
    const use = server.use.begin()
    // On another node it is found again.
    const unleave = server.onRemoved(() => socket.close(server.isReleased ? closeCodes.goingAway : closeCodes.deleted))
    const unsuspend = server.onSuspended(() => {
      if (server.permissionsNow(permissions, deps.userId).size < permissions.size) socket.close(closeCodes.revoked)
    })
    if (hasPermission(permissions, permissionToReceive.console)) this.#reader = server.console.read(() => this.#flush())
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary))
    socket.on('error', (cause) => log.debug({ err: cause }, 'a live socket failed'))
    socket.on('close', () => {
      use[Symbol.dispose]()
      unwatch()
      unleave()
      unsuspend()
      this.#reader?.close()
      output.close()
      this.#terminal.close()
    })
  }

  /** Sends what is due as long as the viewer reads. */
  #flush(): void {
    while (this.#deps.socket.readyState === this.#deps.socket.OPEN && !this.#isFull) {
      if (this.#isStatusDue) {
        this.#isStatusDue = false
        this.#sendMessage({ type: 'status', data: this.#deps.server.status })
        continue
      }
      if (!this.#reader || this.#isSeeking || this.#sharing === 'on') return
      const message = this.#deps.output.isReady(this.#onOutputReady) ? this.#reader.next() : undefined
      if (!message) {
        if (this.#sharing === 'requested' && !this.#reader.isReplaying) this.#share(this.#reader.position)
        return
      }
      this.#deps.output.spend(message.length)
      this.#send(message)
    }
  }

  readonly #onOutputReady = () => {
    this.#reader?.skip(this.#deps.output.unreadBytes)
    this.#flush()
  }

  /** The panel sends all output after the position. */
  #share(to: number): void {
    this.#sharing = 'on'
    this.#deps.output.setPaused(true)
    this.#deps.socket.send(encode({ type: 'shared', to }))
  }

  /** This viewer sends output itself. */
  #unshare(): void {
    if (this.#sharing === 'off') return
    this.#sharing = 'off'
    this.#deps.output.setPaused(false)
    this.#deps.socket.send(encode({ type: 'unshared' }))
  }

  get #isFull(): boolean {
    return this.#deps.socket.bufferedAmount >= this.#deps.output.backlogBytes
  }

  #sendMessage(message: ServerMessage | { error: string }): void {
    this.#send(JSON.stringify(message))
  }

  #send(message: string | Buffer): void {
    this.#deps.socket.send(message, { binary: false }, (cause) => {
      if (cause) this.#deps.log.debug({ err: cause }, 'a viewer disconnected')
      else this.#onSent()
    })
    // Responses to a viewer must not accumulate unread either.
    if (this.#isFull && !this.#deps.socket.isPaused) this.#deps.socket.pause()
  }

  #onSent(): void {
    this.#flush()
    if (this.#deps.socket.isPaused && !this.#isFull) this.#deps.socket.resume()
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      this.#onPanelMessage(data as Buffer)
      return
    }
    try {
      const message = read(String(data))
      if (message === 'unknown') this.#sendMessage({ error: 'unknown command' })
      else this.#handle(message)
    } catch (cause) {
      this.#refuse(cause)
    }
  }

  #onPanelMessage(message: Buffer): void {
    if (!isShareRequest(message) || this.#sharing !== 'off') return
    this.#sharing = 'requested'
    this.#flush()
  }

  #handle(message: ClientMessage): void {
    const permission = permissionFor(message)
    if (!hasPermission(this.#deps.permissions, permission))
      throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[permission] })
    this.#handlers[message.type](message as never)
  }

  readonly #handlers: {
    readonly [T in ClientMessage['type']]: (message: Extract<ClientMessage, { type: T }>) => void
  } = {
    ping: () => this.#sendMessage({ type: 'pong', data: {} }),
    status: () => this.#sendMessage({ type: 'status', data: this.#deps.server.status }),
    stat: () => this.#sendMessage({ type: 'stat', data: this.#stats }),
    replay: ({ from }) => this.#runDetached(this.#replay(from)),
    console: ({ command }) => this.#deps.server.send(command, this.#deps.username),
    file: (message) => this.#runDetached(this.#queueFileMessage(message)),
    terminal: ({ open }) => (open ? this.#terminal.open() : this.#terminal.close()),
    resize: ({ cols, rows }) => this.#terminal.resize({ cols, rows }),
    input: ({ data }) => this.#terminal.type(data),
    reload: () => this.#runDetached(this.#deps.server.definition.reload(this.#deps.userId)),
    start: () => this.#requestPower('start'),
    stop: () => this.#requestPower('stop'),
    kill: () => this.#requestPower('kill'),
    restart: () => this.#requestPower('restart'),
    install: () => this.#requestPower('install'),
  }

  #requestPower(action: PowerAction): void {
    this.#deps.log.info({ action }, 'power action requested')
    this.#runDetached(this.#deps.server.power(action).ended)
  }

  async #replay(from: number | undefined): Promise<void> {
    if (!this.#reader) return
    this.#unshare()
    this.#isSeeking = true
    try {
      this.#sendMessage({ type: 'replay', data: await this.#reader.seek(from) })
    } finally {
      this.#isSeeking = false
    }
    this.#flush()
  }

  /** One message at a time, and none before the viewer has read the last response, which may be large. */
  #queueFileMessage(message: FileMessage): Promise<void> {
    return withLock([this], () => this.#handleFileMessage(message))
  }

  async #handleFileMessage(message: FileMessage): Promise<void> {
    if (this.#deps.socket.readyState !== this.#deps.socket.OPEN) return
    this.#deps.log.debug({ action: message.action, path: message.path }, 'a message about files')
    try {
      using _ = await this.#deps.responses.acquire(this.#deps.userId)
      this.#sendMessage({ type: 'file', data: await this.#fileResponse(message) })
      if (this.#deps.socket.readyState === this.#deps.socket.OPEN)
        await untilRead(this.#deps.socket, `file ${++this.#pendingFileResponses}`)
    } catch (cause) {
      const refusal = refusalFor(cause)
      if (!refusal) throw cause
      this.#sendMessage({ type: 'file', data: { path: '', error: refusal.message } })
    }
  }

  async #fileResponse(message: FileMessage): Promise<FileResponse> {
    await using files = await this.#deps.server.openFiles(
      this.#deps.server.trashSink({ author: this.#deps.username }),
      () => this.#deps.permissions,
    )
    return await handleFileMessage(message, files)
  }

  get #stats() {
    try {
      return this.#deps.server.stats
    } catch (cause) {
      if (cause instanceof Refusal && cause.code === 'ErrServerOffline') return { cpu: 0, memory: 0 }
      throw cause
    }
  }

  /** Long operations must not delay later messages. */
  #runDetached(work: Promise<unknown>): void {
    work.catch((cause: unknown) => this.#refuse(cause))
  }

  #refuse(cause: unknown): void {
    const refusal = cause instanceof Refusal ? cause : new Refusal('ErrUnknownError')
    if (refusal !== cause) this.#deps.log.error({ err: cause }, 'a message of a viewer failed')
    if (this.#deps.socket.readyState !== this.#deps.socket.OPEN) return
    this.#sendMessage({ type: 'error', data: toEnvelope(refusal).error })
  }
}

const known = new Set<string>(Object.keys(permissionOfMessage))

/** Parses a frame; `unknown` for an unknown type. Throws a refusal for an invalid message. */
function read(text: string): ClientMessage | 'unknown' {
  const input = parseJsonOrUndefined(text)
  if (typeof input !== 'object' || input === null) throw new Refusal('ErrInvalidJson')
  const { type } = input as { type?: unknown }
  if (typeof type !== 'string') throw new Refusal('ErrFieldRequired', { field: 'type' })
  if (!known.has(type.toLowerCase())) return 'unknown'
  return validate(ClientMessage, { ...input, type: type.toLowerCase() })
}
