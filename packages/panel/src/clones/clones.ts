import type { Clone, CloneRequest, FailedClone } from '@innkeeper/contract/clones/clones'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import type { AuditContext } from '../access/audit-context.ts'
import type { Principal, PrincipalWithScope } from '../access/principal.ts'
import type { ActivityLog } from '../activity/activity.ts'
import type { Database } from '../database/schema.ts'
import { CloneLeases } from './clone-leases.ts'
import { cancelClone, dismissFailedClone, failedClones, findClone, type LeasedClone } from './clone-rows.ts'
import { type CloneDeps, CloneReleased, makeClone } from './make-clone.ts'
import { type CreationDeps, cloneCreation } from './new-clone.ts'

const defaultPollMs = 1_000
const defaultTakeoverMs = 20_000
const defaultMaxBusyMs = 30 * 60 * 1000

interface Deps extends Omit<CreationDeps, 'leases'> {
  readonly activity: Pick<ActivityLog, 'record'>
  readonly log: Logger
  readonly now: () => number
  /** Interval at which progress is stored and cancellation is noticed. */
  readonly pollMs?: number | undefined
  /** How long a clone waits for other reads of backups. */
  readonly maxBusyMs?: number | undefined
  /** Interval of looks for clones whose panel is gone. */
  readonly takeoverMs?: number | undefined
}

/**
 * Creates servers from other servers. A clone is made by one panel, which renews its row. When that panel ends, another one,
 * or the same after its restart, continues: what the clone needs is in its row, and the jobs of nodes go on without a panel.
 */
export class Clones {
  readonly #db: Database
  readonly #leases: CloneLeases
  readonly #create: ReturnType<typeof cloneCreation>
  readonly #making: CloneDeps
  /** By lease. */
  readonly #running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>()
  readonly #takeover: PeriodicJob
  #isClosed = false

  constructor({ pollMs = defaultPollMs, takeoverMs = defaultTakeoverMs, maxBusyMs = defaultMaxBusyMs, ...deps }: Deps) {
    const { db, nodes, log } = deps
    this.#db = db
    this.#leases = new CloneLeases(deps)
    this.#create = cloneCreation({ ...deps, leases: this.#leases })
    this.#making = { db, nodes, log, pollMs, maxBusyMs, leases: this.#leases }
    this.#takeover = new PeriodicJob({
      everyMs: takeoverMs,
      run: () => this.#continueStale(),
      onError: (err) => log.warn({ err }, 'interrupted clones could not be continued'),
    }).start()
    void this.#takeover.run()
  }

  /** Creates the server and begins to fill it. Throws what creating a server throws. */
  async start(
    principal: PrincipalWithScope<'servers.create'>,
    source: string,
    request: CloneRequest,
    audit: AuditContext,
  ): Promise<Clone> {
    if (this.#isClosed) throw new Refusal('ErrServiceNotAvailable')
    const clone = await this.#create(principal, source, request, audit)
    this.#make(clone)
    return { id: clone.id, source: clone.source, state: clone.backup === undefined ? 'backup' : 'copy' }
  }

  /** Throws ErrNotFound, also for clones of others. */
  async find(principal: Principal, id: string): Promise<Clone> {
    const found = await findClone(this.#db, id)
    if (!found || (found.userId !== principal.userId && !principal.isAdmin)) throw new Refusal('ErrNotFound')
    return found.clone
  }

  /** Those of the user. */
  async failed({ userId }: Principal): Promise<FailedClone[]> {
    return await failedClones(this.#db, userId)
  }

  /** Has no effect on others. */
  async dismiss({ userId }: Principal, id: string): Promise<void> {
    await dismissFailedClone(this.#db, userId, id)
  }

  /** The panel that makes the clone notices it within a second. */
  async cancel(principal: Principal, id: string, audit: AuditContext): Promise<void> {
    const { source } = await this.find(principal, id)
    audit.setSubject({ server: id, target: source })
    await cancelClone(this.#db, id)
  }

  /** Leaves the clones of this panel to the next one. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#takeover.close()
    const running = [...this.#running.values()]
    for (const { abort } of running) abort.abort(new CloneReleased())
    await Promise.all(running.map(({ ended }) => ended))
  }

  #make(clone: LeasedClone): void {
    const abort = new AbortController()
    if (this.#isClosed) abort.abort(new CloneReleased())
    const ended = makeClone(this.#making, clone, abort).finally(() => this.#running.delete(clone.lease))
    this.#running.set(clone.lease, { abort, ended })
  }

  /** Continues the clones whose panel is gone. */
  async #continueStale(): Promise<void> {
    for (const clone of await this.#leases.acquireStale()) this.#make(clone)
  }
}
