import { type RequiredPermission, scopeOfPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { permissionOfSftpOperation, type SftpOperation } from '@innkeeper/contract/node-link/sftp'
import type { Logger } from 'pino'
import { withRollback } from '../../errors/cleanup.ts'
import type { RootFs } from '../../files/root.ts'
import { writeAll } from '../../files/write/write-all.ts'
import type { ChangeAuthor, FileChanges } from '../../panel-link/file-changes.ts'
import type { BufferPools } from '../protocol/buffer-pools.ts'
import { SftpStatusError, statusForError } from '../protocol/status-error.ts'
import {
  dataHeaderBytes,
  dataPacket,
  Fields,
  type Packet,
  PacketFramer,
  ProtocolError,
  requests,
  statuses,
  statusPacket,
  versionPacket,
} from '../protocol/wire.ts'
import type { HandleCount } from './handle-limiter.ts'
import { Handles, maxOpenHandles } from './handles.ts'
import {
  done,
  keepBeforeChange,
  putBackIfFull,
  type RequestContext,
  readGrowth,
  recordWrite,
  serve,
} from './operations.ts'
import { type Read, type Request, RequestQueue } from './request-queue.ts'

/** The I/O of a session. */
export interface ChannelIo {
  /** Stops reading this channel; received data is buffered. */
  pause(): void
  resume(): void
  /** Stops reading the socket, and so all of its channels: only for short times. */
  pauseSocket(): void
  resumeSocket(): void
  /** Buffers writes until `flush`, so that they are sent in one piece. */
  cork(): void
  flush(): void
  /** Calls `sent` when the buffer may be reused. */
  write(bytes: Buffer, sent: () => void): void
  /** Bytes not sent yet. */
  readonly unsent: number
  end(): void
}

interface Deps {
  readonly io: ChannelIo
  readonly files: RootFs
  /** The user's current permissions. */
  readonly permissions: () => ReadonlySet<RequiredPermission>
  readonly linkPathLast: boolean
  readonly changes: RequestContext['changes']
  readonly buffers: BufferPools
  /** The open handles of the user, in all sessions. */
  readonly openHandles: HandleCount
  readonly log: Logger
}

/** Records the changes of a session under its author. */
export function sessionChanges(
  changes: Pick<FileChanges, 'record' | 'hasWritten'>,
  author: ChangeAuthor,
): RequestContext['changes'] {
  return {
    record: (type, path) => changes.record(author, type, path),
    hasWritten: (path) => changes.hasWritten(author, path),
  }
}

const maxUnsentBytes = 1024 * 1024
const maxConcurrentReads = 2

/**
 * One SFTP session. Requests are handled in order; consecutive reads may overlap. Consecutive reads and writes of one
 * file are merged, which makes large files fast.
 */
export class SftpSession {
  readonly #deps: Deps
  readonly #framer: PacketFramer
  readonly #handles: Handles
  readonly #buffers: BufferPools
  readonly #context: RequestContext
  readonly #queue: RequestQueue
  #unsent = 0
  #reads = 0
  #isWorking = false
  #isWriting = false
  #isSocketPaused = false
  #isPaused = false
  #hasBegun = false
  #isEnding = false
  #hasEnded = false
  #isDisposed = false
  #closed = Promise.withResolvers<void>()
  /** Time of the last request, monotonic. */
  usedAt = performance.now()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#handles = new Handles(deps.openHandles)
    this.#queue = new RequestQueue(this.#handles)
    this.#buffers = deps.buffers
    this.#framer = new PacketFramer(deps.buffers)
    this.#context = {
      files: deps.files,
      handles: this.#handles,
      requirePermission: (operation) => this.#requirePermission(operation),
      maxHandles: maxOpenHandles,
      linkPathLast: deps.linkPathLast,
      changes: deps.changes,
    }
  }

  /** Receives data from the client. */
  receive(chunk: Buffer): void {
    if (this.#isEnding || this.#hasEnded) return
    this.usedAt = performance.now()
    try {
      for (const packet of this.#framer.push(chunk)) this.#accept(packet)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.#deps.log.debug({ err: error }, 'an SFTP client violates the protocol')
      this.#deps.io.end()
      return
    }
    this.#process()
  }

  /** The client sends nothing more: its requests are answered, then the session ends. */
  finish(): void {
    this.#isEnding = true
    this.#process()
  }

  /** Closes everything; nothing more is sent. */
  async close(): Promise<void> {
    this.#hasEnded = true
    this.#queue.clear()
    this.#process()
    await this.#closed.promise
  }

  /** Continues after the network was congested. */
  drained(): void {
    this.#process()
  }

  #accept(packet: Packet): void {
    if (!this.#hasBegun) {
      if (packet.type !== requests.init) throw new ProtocolError('A session begins with INIT.')
      this.#hasBegun = true
      this.#send(versionPacket())
      return
    }
    if (packet.type === requests.init) throw new ProtocolError('INIT can only be sent once.')
    this.#queue.add(packet)
  }

  /** Handles requests until it must wait. */
  #process(): void {
    // A single response is sent faster without corking.
    if (this.#queue.hasSeveral) this.#deps.io.cork()
    while (!this.#queue.isEmpty && !this.#isClogged && !this.#isWorking && this.#step());
    this.#deps.io.flush()
    this.#throttle()
    const isIdle = this.#reads === 0 && !this.#isWorking
    if (!isIdle) return
    if (this.#hasEnded) void this.#dispose()
    else if (this.#isEnding && this.#queue.isEmpty) this.#deps.io.end()
  }

  /** Starts the next request. Returns false when the one after it must wait. */
  #step(): boolean {
    const next = this.#queue.first
    if (next?.packet.type === requests.read) {
      if (this.#reads >= maxConcurrentReads) return false
      this.#reads++
      void this.#read().finally(() => {
        this.#reads--
        this.#process()
      })
      return true
    }
    if (this.#reads > 0) return false
    this.#isWorking = true
    this.#isWriting = next?.packet.type === requests.write
    void (this.#isWriting ? this.#write() : this.#serve()).finally(() => {
      this.#isWorking = false
      this.#isWriting = false
      this.#process()
    })
    return false
  }

  get #isClogged(): boolean {
    return !this.#hasEnded && (this.#unsent > maxUnsentBytes || this.#deps.io.unsent > maxUnsentBytes)
  }

  /**
   * A client faster than the disk is paused at the socket. Buffers queued in the channel would grow old and cause full
   * garbage collections, which cost as much as the rest of a transfer.
   */
  #throttle(): void {
    const { io } = this.#deps
    const { isFull } = this.#queue
    const isHeld = isFull && this.#isWriting && !this.#hasEnded
    const isPaused = isFull && (this.#isPaused || !isHeld)
    if (isHeld !== this.#isSocketPaused) {
      this.#isSocketPaused = isHeld
      if (isHeld) io.pauseSocket()
      else io.resumeSocket()
    }
    if (isPaused === this.#isPaused || this.#hasEnded) return
    this.#isPaused = isPaused
    if (isPaused) io.pause()
    else io.resume()
  }

  async #serve(): Promise<void> {
    const request = this.#queue.shift()
    if (!request) return
    const { packet, id } = request
    try {
      const fields = new Fields(packet)
      fields.u32()
      this.#send(await serve(this.#context, packet, id, fields))
    } catch (error) {
      this.#refuse([request], error)
    } finally {
      this.#buffers.release(packet.memory)
    }
  }

  /** Answers consecutive reads of one file at the front with one read. */
  async #read(): Promise<void> {
    const first = this.#queue.shift()
    if (!first) return
    const buffers: Buffer[] = []
    let requests: readonly Request[] = [first]
    try {
      this.#requirePermission('read')
      const read = this.#queue.parseRead(first)
      if (!read.open.mayRead) throw new SftpStatusError(statuses.permissionDenied, 'The file is not open for reading.')
      const run = this.#queue.readsFrom(read)
      requests = run
      buffers.push(...run.map(({ length }) => this.#buffers.acquire(dataHeaderBytes + length)))
      const places = buffers.map((buffer, at) =>
        buffer.subarray(dataHeaderBytes, dataHeaderBytes + (run[at]?.length ?? 0)),
      )
      const { bytesRead } = await read.open.file.readv(places, read.offset)
      // From here on each buffer is released with its response.
      this.#sendReads(run, buffers.splice(0), bytesRead)
    } catch (error) {
      for (const buffer of buffers) this.#buffers.release(buffer)
      this.#refuse(requests, error)
    }
  }

  #sendReads(run: readonly Read[], filled: readonly Buffer[], bytes: number): void {
    let left = bytes
    if (run.length > 1) this.#deps.io.cork()
    for (const [at, { id, length }] of run.entries()) {
      const buffer = filled[at]
      const got = Math.min(length, left)
      left -= got
      if (!buffer) continue
      if (got > 0) this.#send(dataPacket(buffer, id, got), buffer)
      else {
        this.#buffers.release(buffer)
        this.#send(statusPacket(id, statuses.eof, 'End of file.'))
      }
    }
  }

  /** Writes consecutive writes of one file at the front with one write. */
  async #write(): Promise<void> {
    const first = this.#queue.shift()
    if (!first) return
    let requests: readonly Request[] = [first]
    try {
      this.#requirePermission('write')
      const write = this.#queue.parseWrite(first)
      if (!write.open.mayWrite)
        throw new SftpStatusError(statuses.permissionDenied, 'The file is not open for writing.')
      const run = this.#queue.writesFrom(write)
      requests = run
      const parts = run.map(({ data }) => data)
      const bytes = parts.reduce((sum, { length }) => sum + length, 0)
      const { files } = this.#deps
      await keepBeforeChange(files, write.open, write.offset)
      const growth = await readGrowth(files, write.open, write.offset, bytes)
      const writing = files.write(growth, () => writeAll(write.open.file, parts, write.offset), write.open.former)
      await withRollback(writing, (error) => putBackIfFull(write.open, error))
      recordWrite(this.#context, write.open)
      if (run.length > 1) this.#deps.io.cork()
      for (const { id } of run) this.#send(done(id))
    } catch (error) {
      this.#refuse(requests, error)
    } finally {
      for (const { packet } of requests) this.#buffers.release(packet.memory)
    }
  }

  #requirePermission(operation: SftpOperation): void {
    const permissions = this.#deps.permissions()
    const requiredPermission = permissionOfSftpOperation[operation]
    const isPermitted = (permission: RequiredPermission) => permissions.has('admin') || permissions.has(permission)
    if (!isPermitted('sftpServer') || !isPermitted(requiredPermission))
      throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[requiredPermission] })
  }

  #refuse(requests: readonly Request[], error: unknown): void {
    const text = statusForError(error)
    if (!text && !this.#hasEnded) this.#deps.log.error({ err: error }, 'an SFTP request failed')
    const { status, message } = text ?? { status: statuses.failure, message: 'Unknown error' }
    for (const { id } of requests) this.#send(statusPacket(id, status, message))
  }

  #send(packet: Buffer, pooled?: Buffer): void {
    if (this.#hasEnded) {
      if (pooled) this.#buffers.release(pooled)
      return
    }
    this.#unsent += packet.length
    this.#deps.io.write(packet, () => {
      this.#unsent -= packet.length
      if (pooled) this.#buffers.release(pooled)
      if (!this.#queue.isEmpty) this.#process()
    })
  }

  async #dispose(): Promise<void> {
    if (this.#isDisposed) return
    this.#isDisposed = true
    try {
      await this.#handles[Symbol.asyncDispose]()
      await this.#deps.files[Symbol.asyncDispose]()
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'failed to close the open files of an SFTP session')
    } finally {
      this.#closed.resolve()
    }
  }
}
