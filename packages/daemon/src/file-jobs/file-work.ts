import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import { Semaphore } from '../archives/semaphore.ts'
import type { RootFs } from '../files/root.ts'
import { DiskUsage } from './disk-usage.ts'
import { FileJobs } from './file-jobs.ts'

/** Finds the files of a server by its id. `get` throws ErrServerNotFound. */
interface Servers {
  get(id: string): { openFiles(): Promise<RootFs> }
}

/** What is at work on the files of one server. */
interface ServerFileWork {
  readonly jobs: FileJobs
  readonly usage: DiskUsage
  /** Zips that are packed while they are sent, and searches: each of them keeps threads and the disk busy. */
  readonly zips: Semaphore
  readonly searches: Semaphore
}

/** What is at work on the files of the servers of this node. */
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

  /** Takes one of the places for zips; the caller must call what is returned once. Throws ErrTooManyRequests. */
  beginZip(id: string): () => void {
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

  /** Waits for one of the places for searches, and searches. */
  async runSearch<T>(id: string, search: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return await this.on(id).searches.run(() => this.#searches.run(search, signal), signal)
  }

  /** Ends all work on a server's files, because it is about to be removed. */
  async end(id: string): Promise<void> {
    const known = this.#onServer.get(id)
    await Promise.all([known?.jobs.close(), known?.usage.close()])
    this.#onServer.delete(id)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#onServer.keys()].map((id) => this.end(id)))
  }
}
