import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { maxMovesAtOnce } from '@innkeeper/contract/moves/moves'
import type { ActivityLog } from '../activity/activity.ts'
import { activeStates, isActive } from '../database/moves.ts'
import { affectsRows, countRows, runTransaction } from '../database/rows.ts'
import type { Database, RowChanges, StoredRow, Transaction } from '../database/schema.ts'
import { LeasedQueue } from '../queue/leased-queue.ts'
import { getMove, type LeasedMove } from './move-rows.ts'

/** Age of a row that no panel renews any more. */
const staleMs = 60 * 1000
/** How long the former node keeps the files after the server is ready on the new one. */
export const copyKeptMs = 60 * 60 * 1000

type Lease = Pick<LeasedMove, 'server' | 'lease'>
type Changes = RowChanges<'moves'>

interface Deps {
  readonly db: Database
  readonly activity: Pick<ActivityLog, 'record'>
  readonly now: () => number
  /** How long the former node keeps the files, for tests. */
  readonly keptMs?: number | undefined
}

/** A copy that is to be deleted. */
export interface FormerCopy {
  readonly server: string
  readonly node: number
  readonly move: string
}

/**
 * The queue of moves. Only the panel with the lease of a move changes it, and renews the lease. When another panel has taken
 * the lease, the next change of the former one has no effect.
 */
export class MoveLeases {
  readonly #deps: Deps
  readonly #queue: LeasedQueue

  constructor(deps: Deps) {
    this.#deps = deps
    this.#queue = new LeasedQueue(deps.db, 'moves')
  }

  /** Leases the active moves whose panel is gone. */
  async acquireStale(): Promise<readonly LeasedMove[]> {
    const { db, now } = this.#deps
    const stale = await db
      .selectFrom('moves')
      .selectAll()
      .where('state', 'in', activeStates)
      .where('updated_at', '<', now() - staleMs)
      .execute()
    const acquired = await this.#queue.acquire(stale, () => ({ updated_at: now() }))
    return acquired.map(getMove)
  }

  /** Returns `cancelled` if the move is to be undone, `ended` if another panel holds the lease. */
  async renew(
    lease: Lease,
    progress: { readonly bytes?: number | undefined; readonly totalBytes?: number | undefined },
  ): Promise<'active' | 'cancelled' | 'ended'> {
    const { bytes, totalBytes } = progress
    if (!(await this.save(lease, { bytes: bytes ?? null, total_bytes: totalBytes ?? null }))) return 'ended'
    const row = await this.#deps.db
      .selectFrom('moves')
      .select('is_cancelled')
      .where('server_id', '=', lease.server)
      .executeTakeFirst()
    return row?.is_cancelled === 1 ? 'cancelled' : 'active'
  }

  /** Stores how far it is. Returns whether this panel has the lease. */
  async save(lease: Lease, changes: Changes, on: Database | Transaction = this.#deps.db): Promise<boolean> {
    return await affectsRows(this.#leased(lease, on).set({ ...changes, updated_at: this.#deps.now() }))
  }

  /** Lets another panel continue it. */
  async release(lease: Lease): Promise<void> {
    await this.#leased(lease).set({ lease: null, updated_at: 0 }).execute()
  }

  /** Goes to the next state, with `work` in the same transaction. Returns whether it was active and not canceled. */
  async advance(
    lease: Lease,
    changes: Changes & { readonly state: string },
    work: (transaction: Transaction) => Promise<void>,
  ): Promise<boolean> {
    const { db, now } = this.#deps
    return await runTransaction(db, async (transaction) => {
      const update = this.#leased(lease, transaction).where('is_cancelled', '=', 0)
      if (!(await affectsRows(update.set({ ...changes, updated_at: now() })))) return false
      await work(transaction)
      return true
    })
  }

  /** Why a move is to be undone, for the panel that does so. */
  async storeFailure(lease: Lease, reason: Refusal): Promise<void> {
    await this.save(lease, { is_cancelled: 1, error: JSON.stringify(toEnvelope(reason).error) })
  }

  /** Ends a move that was undone. What has arrived on the other node is deleted. */
  async end(move: LeasedMove, error: Refusal | undefined): Promise<boolean> {
    const { db, activity } = this.#deps
    const state = error ? 'failed' : 'cancelled'
    return await runTransaction(db, async (transaction) => {
      const ended = { state, copy_node: move.to, copy_until: 0, bytes: null, total_bytes: null, is_cancelled: 0 }
      if (!(await this.save(move, ended, transaction))) return false
      if (error) {
        const user = await readUser(transaction, move.userId)
        const event = { action: 'server.move', server: move.server, from: 'panel', result: 'failed' } as const
        await activity.record({ ...event, user, code: error.code }, transaction)
      }
      return true
    })
  }

  /** Whether fewer moves than allowed began earlier on one of its nodes. */
  async isItsTurn({ server, from, to, startedAt }: LeasedMove): Promise<boolean> {
    const nodes = [from, to]
    const earlier = this.#deps.db
      .selectFrom('moves')
      .where('state', 'in', activeStates)
      .where(({ eb, or }) => or([eb('from_node', 'in', nodes), eb('to_node', 'in', nodes)]))
      .where(({ eb, or, and }) =>
        or([eb('started_at', '<', startedAt), and([eb('started_at', '=', startedAt), eb('server_id', '<', server)])]),
      )
    return (await countRows(earlier)) < maxMovesAtOnce
  }

  /** Reads the row again, for the next step. */
  async read({ server, lease }: Lease): Promise<LeasedMove | undefined> {
    const row = await this.#deps.db
      .selectFrom('moves')
      .selectAll()
      .where('server_id', '=', server)
      .where('lease', '=', lease)
      .executeTakeFirst()
    return row && isActive(row) ? getMove({ ...row, lease }) : undefined
  }

  /** Copies whose time is over. */
  async expiredCopies(): Promise<readonly (FormerCopy & { readonly row: StoredRow<'moves'> })[]> {
    const { db, now } = this.#deps
    const rows = await db
      .selectFrom('moves')
      .selectAll()
      .where('state', 'not in', activeStates)
      .where('copy_node', 'is not', null)
      .where('copy_until', '<=', now())
      .execute()
    return rows.flatMap((row) => {
      if (row.copy_node === null) return []
      // The new node was sealed for the way back.
      const move = row.state === 'back' ? backToken(row.id) : row.id
      return { server: row.server_id, node: row.copy_node, move, row }
    })
  }

  /** Has no effect when the server has gone back meanwhile. */
  async forgetCopy({ server, node }: FormerCopy): Promise<void> {
    await this.#deps.db
      .updateTable('moves')
      .set({ copy_node: null, copy_until: null })
      .where('server_id', '=', server)
      .where('copy_node', '=', node)
      .where('state', 'not in', activeStates)
      .execute()
  }

  /** Forgets a move whose server was deleted. */
  async remove({ server, lease }: Lease): Promise<void> {
    await this.#deps.db.deleteFrom('moves').where('server_id', '=', server).where('lease', '=', lease).execute()
  }

  get keptMs(): number {
    return this.#deps.keptMs ?? copyKeptMs
  }

  #leased({ server, lease }: Lease, on: Database | Transaction = this.#deps.db) {
    return this.#queue.updateLeased(server, lease, on).where('state', 'in', activeStates)
  }
}

/** Names the way back for the nodes: a delayed request of the way there does not open the server. */
export const backToken = (move: string): string => `${move}-back`

async function readUser(db: Database, id: number): Promise<{ id: number; username: string } | undefined> {
  return await db.selectFrom('users').select(['id', 'username']).where('id', '=', id).executeTakeFirst()
}
