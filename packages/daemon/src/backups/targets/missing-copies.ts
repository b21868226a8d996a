import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Logger } from 'pino'
import type { Registry } from '../../servers/registry.ts'
import type { DueWork, JobQueue, JobSource, StartedJob } from '../jobs/job-queue.ts'
import type { BackupIndexes } from '../storage/backup-index.ts'
import { CopyRetries, type RetryTimes } from './copy-retries.ts'
import { makeMissingCopies } from './copy-to-targets.ts'
import type { Repositories } from './repositories.ts'
import type { ServerTargets } from './server-targets.ts'

interface Deps {
  readonly servers: Pick<Registry, 'servers' | 'get'>
  readonly indexes: Pick<BackupIndexes, 'of'>
  readonly repositories: Repositories
  readonly serverTargets: ServerTargets
  readonly queue: Pick<JobQueue, 'start' | 'askSources'>
  /** Ends failures whose cause is gone. */
  readonly events: { endSolved(server: string): Promise<void> }
  readonly retries: RetryTimes | undefined
  readonly log: Logger
}

/**
 * Makes missing copies of backups: at the start of the daemon, then with growing waits, until they exist or are not
 * wanted any more.
 */
export class MissingCopies implements JobSource {
  readonly #deps: Deps
  readonly #retries: CopyRetries

  constructor(deps: Deps) {
    this.#deps = deps
    this.#retries = new CopyRetries(deps.retries)
  }

  /** Makes those of a server on a target now. Throws ErrNotFound when none is missing. */
  async start(server: string, target: string, { isBackground = false } = {}): Promise<StartedJob> {
    const { servers, indexes, repositories, serverTargets, queue, events, log } = this.#deps
    servers.get(server)
    if (!(await serverTargets.withMissingCopies(server)).includes(target)) throw new Refusal('ErrNotFound')
    const { local, report } = repositories
    const tools = { server: { id: server }, index: indexes.of(server), local, report, log }
    const started = queue.start({
      server,
      type: 'copy',
      name: repositories.get(target).name,
      isBackground,
      run: async (job) => {
        await makeMissingCopies(tools, repositories.get(target), job)
        await events.endSolved(server)
      },
    })
    const ended = (error?: unknown) => this.#retries.ended({ server, target }, error)
    started.ended.then(() => ended(), ended)
    return started
  }

  /** After a backup, which also tried to make earlier copies. */
  async backedUp(server: string, targets: readonly { readonly id: string }[]): Promise<void> {
    const missing = await this.#deps.serverTargets.withMissingCopies(server)
    for (const { id: target } of targets) {
      const error = missing.includes(target) ? new Refusal('ErrBackupFailed') : undefined
      this.#retries.ended({ server, target }, error)
    }
  }

  /** When those of a server are tried again, by target. ISO 8601. */
  async nextAttempts(server: string): Promise<ReadonlyMap<string, string>> {
    const missing = await this.#deps.serverTargets.withMissingCopies(server)
    const nextTry = (target: string) => new Date(Math.max(Date.now(), this.#retries.nextAt({ server, target })))
    return new Map(missing.map((target) => [target, nextTry(target).toISOString()]))
  }

  /** Those on a target are due: it was changed, or responds again. */
  retryNow(target: string): void {
    this.#retries.retryNow(target)
    this.#deps.queue.askSources()
  }

  async next(): Promise<DueWork | undefined> {
    const { servers, serverTargets } = this.#deps
    const ofServers = servers.servers.map(async ({ id: server }) => {
      const targets = await serverTargets.withMissingCopies(server)
      return targets.map((target) => ({ server, target }))
    })
    const missing = (await Promise.all(ofServers)).flat()
    this.#retries.keep(missing)
    const [first] = missing
      .map((copies) => ({ ...copies, at: this.#retries.nextAt(copies) }))
      .toSorted((a, b) => a.at - b.at)
    if (!first) return undefined
    const { server, target, at } = first
    return { at, start: () => this.start(server, target, { isBackground: true }) }
  }
}
