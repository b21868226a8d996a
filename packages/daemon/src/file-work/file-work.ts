import type { Logger } from 'pino'
import type { Registry } from '../servers/registry.ts'
import { DiskUsage } from './disk-usage.ts'
import { FileJobs } from './file-jobs.ts'

/** What is at work on the files of one server. */
interface OnServer {
  readonly jobs: FileJobs
  readonly usage: DiskUsage
}

/** What is at work on the files of the servers of this node. */
export class FileWork {
  readonly #servers: Pick<Registry, 'get'>
  readonly #log: Logger
  readonly #onServer = new Map<string, OnServer>()

  constructor(servers: Pick<Registry, 'get'>, log: Logger) {
    this.#servers = servers
    this.#log = log
  }

  /** Throws ErrServerNotFound. */
  on(id: string): OnServer {
    this.#servers.get(id)
    const known = this.#onServer.get(id)
    if (known) return known
    const needs = { openFiles: () => this.#servers.get(id).openFiles(), log: this.#log.child({ server: id }) }
    const fresh = { jobs: new FileJobs(needs), usage: new DiskUsage(needs) }
    this.#onServer.set(id, fresh)
    return fresh
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
