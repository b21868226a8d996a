import type { CloneRequest } from '@innkeeper/contract/clones/clones'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ActivityLog } from '../activity/activity.ts'
import { affectsRows, runTransaction } from '../database/rows.ts'
import type { CloneRow, Database, Transaction } from '../database/schema.ts'
import { LeasedQueue } from '../queue/leased-queue.ts'
import { deleteOnNodeLater } from '../servers/removal.ts'
import {
  activeStates,
  addClone,
  type CloneProgress,
  getClone,
  type LeasedClone,
  type NewClone,
  readUser,
} from './clone-rows.ts'

/** Age of a row that no panel renews any more. */
const staleMs = 60 * 1000
const dayMs = 24 * 60 * 60 * 1000
/** How long an ended clone is shown. */
const endedMs = dayMs
/** How long a failed one is, unless it is dismissed. */
const failedMs = 30 * dayMs

/** What has been done, for the panel that continues. */
export type Checkpoint = Partial<Pick<CloneRow, 'backup_id' | 'state'>> & { readonly attempts?: number }

type Lease = Pick<LeasedClone, 'id' | 'lease'>

interface Deps {
  readonly db: Database
  readonly activity: Pick<ActivityLog, 'record'>
  readonly now: () => number
}

/**
 * The queue of clones. Only the panel with the lease of a clone changes it, and renews the lease. When another panel has taken
 * the lease, the next change of the former one has no effect.
 */
export class CloneLeases {
  readonly #deps: Deps
  readonly #queue: LeasedQueue

  constructor(deps: Deps) {
    this.#deps = deps
    this.#queue = new LeasedQueue(deps.db, 'clones')
  }

  /** Adds a clone that this panel makes, see `addClone`. */
  async add(transaction: Transaction, clone: NewClone, request: CloneRequest): Promise<LeasedClone> {
    return await addClone(transaction, clone, request, this.#deps.now())
  }

  /** Its server was not created. */
  async remove({ id, lease }: Lease): Promise<void> {
    await this.#deps.db.deleteFrom('clones').where('server_id', '=', id).where('lease', '=', lease).execute()
  }

  /** Leases the active clones whose panel is gone. Deletes those that ended long ago. */
  async acquireStale(): Promise<readonly LeasedClone[]> {
    const { db, now } = this.#deps
    await db
      .deleteFrom('clones')
      .where(({ eb, or }) =>
        or([
          eb('state', 'in', ['done', 'cancelled']).and('updated_at', '<', now() - endedMs),
          eb('state', '=', 'failed').and('updated_at', '<', now() - failedMs),
        ]),
      )
      .execute()
    const stale = await db
      .selectFrom('clones')
      .selectAll()
      .where('state', 'in', activeStates)
      .where('updated_at', '<', now() - staleMs)
      .execute()
    const acquired = await this.#queue.acquire(stale, () => ({ updated_at: now() }))
    return acquired.map((row) => ({ ...getClone(row), lease: row.lease }))
  }

  /** Returns `cancelled` if a user canceled the clone, `ended` if another panel holds the lease. */
  async renew(lease: Lease, { state, bytes, totalBytes }: CloneProgress): Promise<'active' | 'cancelled' | 'ended'> {
    const { db, now } = this.#deps
    const update = this.#leased(lease).set({
      state,
      bytes: bytes ?? null,
      total_bytes: totalBytes ?? null,
      updated_at: now(),
    })
    if (!(await affectsRows(update))) return 'ended'
    const row = await db
      .selectFrom('clones')
      .select('is_cancelled')
      .where('server_id', '=', lease.id)
      .executeTakeFirst()
    return row?.is_cancelled === 1 ? 'cancelled' : 'active'
  }

  /** Stores how far it is. Returns whether this panel has the lease. */
  async save(lease: Lease, checkpoint: Checkpoint): Promise<boolean> {
    const saved = { ...checkpoint, updated_at: this.#deps.now() }
    return await affectsRows(this.#leased(lease).set(saved))
  }

  /** Lets another panel continue it at once. */
  async release(lease: Lease): Promise<void> {
    await this.#leased(lease).set({ lease: null, updated_at: 0 }).execute()
  }

  /** Marks it as done, with `work` in the same transaction. Returns whether it was active. */
  async finish(lease: Lease, work: (transaction: Transaction) => Promise<void>): Promise<boolean> {
    const { db, now } = this.#deps
    return await runTransaction(db, async (transaction) => {
      const ending = this.#leased(lease, transaction).where('is_cancelled', '=', 0)
      const update = ending.set({ state: 'done', tasks: null, updated_at: now() })
      if (!(await affectsRows(update))) return false
      await work(transaction)
      return true
    })
  }

  /** Deletes the new server, on its node when that responds, and records why. Returns whether it was active. */
  async fail(clone: LeasedClone, reason: Refusal): Promise<boolean> {
    const { db, activity, now } = this.#deps
    const { id, nodeId, source, userId } = clone
    const state = reason.code === 'ErrCancelled' ? 'cancelled' : 'failed'
    const error = state === 'failed' ? JSON.stringify(toEnvelope(reason).error) : null
    return await runTransaction(db, async (transaction) => {
      const ended = { state, error, tasks: null, updated_at: now() }
      const update = this.#leased(clone, transaction).set(ended)
      if (!(await affectsRows(update))) return false
      await deleteOnNodeLater(transaction, { id, nodeId }, now())
      await transaction.deleteFrom('servers').where('id', '=', id).execute()
      if (state === 'failed') {
        const user = await readUser(userId, transaction)
        const event = { action: 'server.clone', server: id, target: source, from: 'panel', result: 'failed' } as const
        await activity.record({ ...event, user, code: reason.code }, transaction)
      }
      return true
    })
  }

  #leased({ id, lease }: Lease, on?: Transaction) {
    return this.#queue.updateLeased(id, lease, on).where('state', 'in', activeStates)
  }
}
