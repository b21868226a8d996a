import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import { Semaphore } from '../archives/semaphore.ts'
import type { RootFs } from '../files/root.ts'
import { DiskUsage } from './disk-usage.ts'
import { FileJobs } from './file-jobs.ts'

/** Finds a server's files by id. `get` throws ErrServerNotFound. */
interface Servers {
  get(id: string): { openFiles(): Promise<RootFs> }
}

/** The file operations of one server. */
interface ServerFileWork {
  readonly jobs: FileJobs
  readonly usage: DiskUsage
  /** Limits of zip downloads and searches: each uses threads and the disk. */
  readonly zips: Semaphore
  readonly searches: Semaphore
}

/** The file operations of all servers of this node. */
export class FileWork {
  readonly #servers: Servers
  readonly #log: Logger
  readonly #onServer = new Map<string, ServerFileWork>()
  readonly #zips = new Semaphore(limits.zipsAtOnceOnNode)
  readonly #searches = new Semaphore(limits.searchesAtOnceOnNode)

  constructor(servers: Servers, log: Logger) {
    this.#servers = servers
    this.#log = log
  }

  /** Throws ErrServerNotFound. */
  on(id: string): ServerFileWork {
    this.#servers.get(id)
    const known = this.#onServer.get(id)
    if (known) return known
    const deps = { openFiles: () => this.#servers.get(id).openFiles(), log: this.#log.child({ server: id }) }
    const fresh = {
      jobs: new FileJobs(deps),
      usage: new DiskUsage(deps),
      zips: new Semaphore(limits.zipsAtOnce),
      searches: new Semaphore(limits.searchesAtOnce),
    }
    this.#onServer.set(id, fresh)
    return fresh
  }

  /** Acquires a zip slot; the caller must call the returned function once. Throws ErrTooManyRequests. */
  acquireZipSlot(id: string): () => void {
    const releaseServer = this.on(id).zips.tryAcquire()
    const releaseNode = releaseServer && this.#zips.tryAcquire()
    if (releaseServer && releaseNode) {
      return () => {
        releaseServer()
        releaseNode()
      }
    }
    releaseServer?.()
    throw new Refusal('ErrTooManyRequests')
  }

  /** Waits for a search slot and runs the search. */
  async runSearch<T>(id: string, search: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return await this.on(id).searches.run(() => this.#searches.run(search, signal), signal)
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
