import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { TicketPermissions } from '@innkeeper/contract/node-link/ticket'
import { ConflictPolicy } from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { withRollback } from '../errors/cleanup.ts'
import { refuseUnusualNames } from '../files/new-name.ts'
import { findParent, formatPath, parseExistingPath, type SafePath } from '../files/path/safe-path.ts'
import type { SpaceReservation } from '../files/space/write-budget.ts'
import type { Registry } from '../servers/registry.ts'
import { foldersIn, type Receive, UploadFolder } from './upload-folder.ts'
import { parseMetadata, type UploadInfo } from './upload-info.ts'

export const maxUploadBytes = 256 * 1024 ** 3
const cleanupIntervalMs = 60 * 60 * 1000
/** A completed upload is remembered for this long, for clients that missed the response. */
const completedRetentionMs = 60 * 60 * 1000

/** Who creates an upload. */
interface Uploader {
  readonly username: string | undefined
  readonly permissions: TicketPermissions
}

interface Appended {
  readonly from: number
  readonly receive: Receive
  readonly signal: AbortSignal
  readonly permissions: TicketPermissions
}

interface FinishedUpload {
  readonly server: string
  readonly id: string
  readonly folder: UploadFolder
  readonly info: UploadInfo
  readonly permissions: TicketPermissions
}

interface Deps {
  readonly dataDir: string
  readonly servers: Pick<Registry, 'get' | 'find'>
  readonly log: Logger
}

/** The progress of an upload. */
export interface Progress {
  readonly offset: number
  readonly size: number
  /** When it expires; absent once it is done. */
  readonly expires?: Date
}

/**
 * Resumable uploads (tus): bytes are collected in a private directory until they are complete, then the file is placed
 * in the server's directory.
 */
export class Uploads {
  readonly #deps: Deps
  readonly #root: string
  /** Active and waiting writers of an upload. */
  readonly #writers = new Map<string, Set<AbortController>>()
  /** Space for the files of unfinished uploads, by their id. */
  readonly #reservations = new Map<string, SpaceReservation>()
  readonly #cleanup: PeriodicJob
  /** Ends when uploads of an earlier daemon have their reservation. */
  readonly #holding: Promise<void>
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#root = join(deps.dataDir, 'uploads')
    this.#cleanup = new PeriodicJob({
      everyMs: cleanupIntervalMs,
      run: (signal) => this.#removeExpired(signal),
      onError: (err) => deps.log.warn({ err }, 'failed to delete expired uploads'),
    })
    const cleaning = this.#cleanup.start().run()
    this.#holding = cleaning.then(() => this.#holdExisting())
  }

  /**
   * Creates an upload of `size` bytes and returns its id. They count as used space from now on. Throws ErrFileExists, ErrNotAFile, ErrBodyTooLarge, ErrTooMany, ErrDisk, ErrDiskLimit.
   */
  async create(
    server: string,
    size: number,
    metadata: string | undefined,
    { username: author, permissions }: Uploader,
  ): Promise<string> {
    const folder = this.#getFolder(server)
    const named = parseMetadata(metadata)
    const path = parseExistingPath(named.get('path') ?? '')
    const existing = ConflictPolicy.safeParse(named.get('existing') ?? 'refuse').data
    if (path.length === 0) throw new Refusal('ErrFieldRequired', { field: 'path' })
    if (!existing) throw new Refusal('ErrFieldInvalid', { field: 'existing' })
    if (size > maxUploadBytes) throw new Refusal('ErrBodyTooLarge', { max: maxUploadBytes })
    await this.#checkTarget(server, path, existing, permissions)
    await this.#holding
    // Serialized: each one counts for the next.
    return await withLock([`uploads of ${server}`], async () => {
      const others = await this.list(server)
      if (others.length >= limits.uploadsPerServer) throw new Refusal('ErrTooMany', { max: limits.uploadsPerServer })
      const pendingBytes = others.reduce((sum, upload) => sum + upload.size - upload.offset, size)
      if (pendingBytes > (await folder.freeBytes())) throw new Refusal('ErrDisk', { reason: formatReason('diskFull') })

      const id = randomBytes(16).toString('hex')
      const createdAt = new Date().toISOString()
      const by = author !== undefined && { author }
      const reservation = await this.#deps.servers.get(server).diskLimit.reserve(size, 'outside')
      const creating = folder.create(id, { path: formatPath(path), existing, size, createdAt, ...by })
      await withRollback(creating, () => reservation[Symbol.dispose]())
      this.#reservations.set(id, reservation)
      return id
    })
  }

  /** Unfinished uploads. */
  async list(server: string): Promise<{ id: string; path: string; offset: number; size: number; createdAt: string }[]> {
    const folder = this.#getFolder(server)
    const found = await Promise.all(
      (await folder.ids()).map(async (id) => {
        const info = await folder.find(id)
        if (!info || info.isDone) return []
        const { path, size, createdAt } = info
        return [{ id, path, offset: await folder.readSize(id), size, createdAt }]
      }),
    )
    return found.flat().sort((a, b) => b.createdAt.localeCompare(a.createdAt))
  }

  /**
   * Returns the progress. An active writer is stopped: its client has lost the connection, and only received bytes
   * count.
   */
  async progress(server: string, id: string, permissions: TicketPermissions): Promise<Progress> {
    return await this.#withoutWriters(id, async () => {
      const { folder, info } = await this.#find(server, id)
      const offset = info.isDone ? info.size : await folder.readSize(id)
      // All bytes are there, but the daemon ended before the file was placed.
      if (!info.isDone && offset === info.size) await this.#finish({ server, id, folder, info, permissions })
      return await this.#readProgress(id, folder, info, offset)
    })
  }

  /** Appends bytes at an offset, which must be the number of received bytes. The last of them place the file. */
  async append(server: string, id: string, { from, receive, signal, permissions }: Appended): Promise<Progress> {
    return await this.#asExclusiveWriter(id, signal, async (stop) => {
      using _ = this.#deps.servers.get(server).use.begin()
      const { folder, info } = await this.#find(server, id)
      const receivedBytes = info.isDone ? info.size : await folder.readSize(id)
      if (from !== receivedBytes) throw new Refusal('ErrUploadOffset', { offset: receivedBytes })
      if (info.isDone) return await this.#readProgress(id, folder, info, receivedBytes)

      await folder.append(id, receive, { from, limit: info.size - from, signal: stop })
      const offset = await folder.readSize(id)
      if (offset === info.size) await this.#finish({ server, id, folder, info, permissions })
      return await this.#readProgress(id, folder, info, offset)
    })
  }

  async remove(server: string, id: string): Promise<void> {
    await this.#withoutWriters(id, async () => {
      const { folder } = await this.#find(server, id)
      await folder.remove(id)
      this.#release(id)
    })
  }

  /** Deletes all uploads of a removed server. */
  async removeAll(server: string): Promise<void> {
    const folder = new UploadFolder(join(this.#root, server))
    for (const id of await folder.ids()) await this.#withoutWriters(id, async () => this.#release(id))
    await folder.removeAll()
  }

  /** Deletes expired uploads, and those of removed servers. */
  async #removeExpired(signal: AbortSignal): Promise<void> {
    for (const server of await foldersIn(this.#root)) {
      const folder = new UploadFolder(join(this.#root, server))
      if (!this.#deps.servers.find(server)) await folder.removeAll()
      for (const id of await folder.ids()) {
        if (signal.aborted) return
        const info = await folder.find(id)
        const maxAgeMs = info?.isDone ? completedRetentionMs : limits.uploadKeptMs
        if (this.#writers.has(id) || Date.now() - (await folder.lastActivity(id)) < maxAgeMs) continue
        await folder.remove(id)
        this.#release(id)
      }
    }
  }

  /** Stops active writers; uploads can be resumed later. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#cleanup.close()
    await this.#holding
    await Promise.all([...this.#writers.keys()].map((id) => this.#withoutWriters(id, async () => {})))
  }

  async #holdExisting(): Promise<void> {
    const { servers, log } = this.#deps
    try {
      for (const server of await foldersIn(this.#root)) {
        const owner = servers.find(server)
        if (!owner) continue
        for (const { id, size } of await this.list(server))
          this.#reservations.set(id, owner.diskLimit.hold(size, 'outside'))
      }
    } catch (cause) {
      log.warn({ err: cause }, 'failed to count unfinished uploads for the limits of disk space')
    }
  }

  #release(id: string): void {
    this.#reservations.get(id)?.[Symbol.dispose]()
    this.#reservations.delete(id)
  }

  /** Throws ErrServerNotFound. */
  #getFolder(server: string): UploadFolder {
    this.#deps.servers.get(server)
    return new UploadFolder(join(this.#root, server))
  }

  /** Only of this server: an id alone is not sufficient. */
  async #find(server: string, id: string): Promise<{ folder: UploadFolder; info: UploadInfo }> {
    const folder = this.#getFolder(server)
    const info = await folder.find(id)
    if (!info) throw new Refusal('ErrUploadNotFound')
    return { folder, info }
  }

  /** Checks what is known in advance about the target. */
  async #checkTarget(
    server: string,
    path: SafePath,
    onConflict: ConflictPolicy,
    permissions: TicketPermissions,
  ): Promise<void> {
    await using files = await this.#deps.servers.get(server).openFiles(undefined, () => permissions)
    await refuseUnusualNames(files, path)
    const existing = await files.stat(path)
    if (!existing || onConflict === 'keepBoth') return
    if (onConflict === 'refuse') throw new Refusal('ErrFileExists', { path: formatPath(path) })
    if (existing.kind !== 'file') throw new Refusal('ErrNotAFile', { path: formatPath(path) })
  }

  async #finish({ server, id, folder, info, permissions }: FinishedUpload): Promise<void> {
    const owner = this.#deps.servers.get(server)
    await using files = await owner.openFiles(owner.trashSink({ author: info.author }), () => permissions)
    const path = parseExistingPath(info.path)
    await this.#holding
    const reservation = this.#reservations.get(id) ?? owner.diskLimit.hold(info.size, 'outside')
    this.#reservations.set(id, reservation)
    // The limit may be lower than when it was created.
    await owner.diskLimit.assertRoom(0)
    await folder.sync(id)
    // The files of a directory may be uploaded before the directory exists.
    const parent = findParent(path)
    if (parent && parent.length > 0) await files.mkdirs(parent)
    const place = () => files.importFile(folder.getPath(id), path, { onConflict: info.existing })
    await reservation.write(info.size, place)
    reservation.settle()
    this.#reservations.delete(id)
    await folder.writeInfo(id, { ...info, isDone: true })
  }

  async #readProgress(id: string, folder: UploadFolder, { size }: UploadInfo, offset: number): Promise<Progress> {
    if (offset === size) return { offset, size }
    return { offset, size, expires: new Date((await folder.lastActivity(id)) + limits.uploadKeptMs) }
  }

  /**
   * Runs `act` without active writers: a client that reconnects stops its lost connection instead of waiting for it.
   */
  async #withoutWriters<T>(id: string, act: () => Promise<T>): Promise<T> {
    for (const writer of this.#writers.get(id) ?? []) writer.abort()
    return await withLock([`upload ${id}`], act)
  }

  /** Like `#withoutWriters`, until another writer arrives. */
  async #asExclusiveWriter<T>(id: string, signal: AbortSignal, act: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController()
    const stop = AbortSignal.any([signal, own.signal])
    const acting = this.#withoutWriters(id, async () => {
      if (this.#isClosed) throw new Refusal('ErrServiceNotAvailable')
      stop.throwIfAborted()
      return await act(stop)
    })
    const writers = this.#writers.get(id) ?? new Set()
    this.#writers.set(id, writers.add(own))
    return await acting
      .catch((cause: unknown) => {
        // No longer read: the client is gone, or has reconnected.
        throw stop.aborted ? new Refusal('ErrCancelled', {}, { cause }) : cause
      })
      .finally(() => {
        writers.delete(own)
        if (writers.size === 0) this.#writers.delete(id)
      })
  }
}
