import type { Clone, CloneRequest, FailedClone } from '@innkeeper/contract/clones/clones'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Logger } from 'pino'
import type { AuditContext } from '../access/audit-context.ts'
import type { Principal, PrincipalWithScope } from '../access/principal.ts'
import type { ActivityLog } from '../activity/activity.ts'
import type { Database } from '../database/schema.ts'
import { LeasedJobs } from '../queue/leased-jobs.ts'
import { CloneLeases } from './clone-leases.ts'
import { cancelClone, dismissFailedClone, failedClones, findClone, type LeasedClone } from './clone-rows.ts'
import { makeClone } from './make-clone.ts'
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
  readonly #jobs: LeasedJobs<LeasedClone>

  constructor({ pollMs = defaultPollMs, takeoverMs = defaultTakeoverMs, maxBusyMs = defaultMaxBusyMs, ...deps }: Deps) {
    const { db, nodes, log } = deps
    this.#db = db
    this.#leases = new CloneLeases(deps)
    this.#create = cloneCreation({ ...deps, leases: this.#leases })
    const making = { db, nodes, log, pollMs, maxBusyMs, leases: this.#leases }
    this.#jobs = new LeasedJobs({
      acquireStale: () => this.#leases.acquireStale(),
      run: (clone, abort) => makeClone(making, clone, abort),
      takeoverMs,
      onError: (err) => log.warn({ err }, 'interrupted clones could not be continued'),
    })
  }

  /** Creates the server and begins to fill it. Throws what creating a server throws. */
  async start(
    principal: PrincipalWithScope<'servers.create'>,
    source: string,
    request: CloneRequest,
    audit: AuditContext,
  ): Promise<Clone> {
    if (this.#jobs.isClosed) throw new Refusal('ErrServiceNotAvailable')
    const clone = await this.#create(principal, source, request, audit)
    this.#jobs.start(clone)
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
    await this.#jobs.close()
  }
}
