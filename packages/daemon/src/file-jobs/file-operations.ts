import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { TicketPermissions } from '@innkeeper/contract/node-link/ticket'
import type { Logger } from 'pino'
import { Semaphore } from '../concurrency/semaphore.ts'
import type { RootFs } from '../files/root.ts'
import type { DiskLimit } from '../files/space/disk-limit.ts'
import type { DiscardContext, TrashSink } from '../trash/trash-sink.ts'
import { DiskUsage } from './disk-usage.ts'
import { FileJobs } from './file-jobs.ts'

export const maxSearchesPerServer = 2
export const maxSearches = 8
export const maxZipsPerServer = 2
const maxZips = 16
/** A client may take long to receive a zip, and a search ends by itself. */
const sharedZipMs = 60_000
const sharedSearchMs = 10_000

/** Finds a server's files by id. `get` throws ErrServerNotFound. */
interface Servers {
  get(id: string): {
    openFiles(discarded?: TrashSink, permissions?: () => TicketPermissions): Promise<RootFs>
    trashSink(context: DiscardContext): TrashSink
    readonly diskLimit: Pick<DiskLimit, 'space'>
  }
}

/** The file operations of one server. */
interface ServerFileOperations {
  readonly jobs: FileJobs
  readonly usage: DiskUsage
}

/** The file operations of all servers of this node. */
export class FileOperations {
  readonly #servers: Servers
  readonly #log: Logger
  readonly #onServer = new Map<string, ServerFileOperations>()
  // Each of these uses threads and the disk.
  readonly #zips = new Semaphore(maxZips, { perKey: maxZipsPerServer, sharedMs: sharedZipMs })
  readonly #searches = new Semaphore(maxSearches, {
    perKey: maxSearchesPerServer,
    sharedMs: sharedSearchMs,
  })

  constructor(servers: Servers, log: Logger) {
    this.#servers = servers
    this.#log = log
  }

  /** Throws ErrServerNotFound. */
  on(id: string): ServerFileOperations {
    const { diskLimit } = this.#servers.get(id)
    const known = this.#onServer.get(id)
    if (known) return known
    const deps = {
      openFiles: (discarded?: TrashSink, permissions?: () => TicketPermissions) =>
        this.#servers.get(id).openFiles(discarded, permissions),
      trashSink: (context: DiscardContext) => this.#servers.get(id).trashSink(context),
      log: this.#log.child({ server: id }),
    }
    const fresh = { jobs: new FileJobs(deps), usage: new DiskUsage({ ...deps, diskLimit }) }
    this.#onServer.set(id, fresh)
    return fresh
  }

  /** The size of a server's files at the last measurement, if there was one. */
  measuredBytes(id: string): number | undefined {
    return this.#onServer.get(id)?.usage.measuredBytes
  }

  /** Acquires a zip slot, which the caller releases by disposal, once. Throws ErrServerNotFound, ErrTooManyRequests. */
  acquireZipSlot(id: string): Disposable {
    this.#servers.get(id)
    const slot = this.#zips.tryAcquire(id)
    if (!slot) throw new Refusal('ErrTooManyRequests')
    return slot
  }

  /** Waits for a search slot and runs the search. */
  async runSearch<T>(id: string, search: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#servers.get(id)
    return await this.#searches.run(search, { key: id, signal })
  }

  /** Ends all file operations of a server that is about to be removed. */
  async end(id: string): Promise<void> {
    const known = this.#onServer.get(id)
    await Promise.all([known?.jobs.close(), known?.usage.close()])
    this.#onServer.delete(id)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#onServer.keys()].map((id) => this.end(id)))
  }
}
