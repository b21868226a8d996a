import type { Clone } from '@innkeeper/contract/clones'
import { envelopeOf, ReportedError } from '@innkeeper/contract/refusal-envelope'
import type { Refusal } from '@innkeeper/contract/refusals'
import { runTransaction } from '../database/rows.ts'
import type { CloneRow, Database, Transaction } from '../database/schema.ts'
import { deleteOnNodeLater } from '../servers/removal.ts'

const activeStates = ['backup', 'copy'] as const
export type ActiveState = (typeof activeStates)[number]

/** Age of a row that no panel renews any more. */
const staleMs = 2 * 60 * 1000
/** How long an ended clone is shown. */
const endedMs = 24 * 60 * 60 * 1000

/** What a panel needs to make or undo a clone. */
export interface CloneServers {
  readonly id: string
  readonly nodeId: number
  readonly source: string
}

export interface CloneProgress {
  readonly state: ActiveState
  readonly bytes?: number | undefined
  readonly totalBytes?: number | undefined
}

/** The table of clones: progress, cancellation and result, for all panels. */
export function cloneRows({ db, now }: { readonly db: Database; readonly now: () => number }) {
  const active = (id: string, on: Database | Transaction = db) =>
    on.updateTable('clones').where('server_id', '=', id).where('state', 'in', activeStates)

  return {
    async add({ id, nodeId, source }: CloneServers, userId: number, state: ActiveState): Promise<void> {
      const row = { server_id: id, source_id: source, node_id: nodeId, user_id: userId, state, updated_at: now() }
      await db.insertInto('clones').values(row).execute()
    },

    async find(id: string): Promise<{ readonly clone: Clone; readonly userId: number } | undefined> {
      const row = await db.selectFrom('clones').selectAll().where('server_id', '=', id).executeTakeFirst()
      return row && { clone: viewOf(row), userId: row.user_id }
    },

    /** Renews the row. Returns `cancelled` when somebody cancelled it, `ended` when another panel ended it. */
    async renew(id: string, { state, bytes, totalBytes }: CloneProgress): Promise<'active' | 'cancelled' | 'ended'> {
      const { numUpdatedRows } = await active(id)
        .set({ state, bytes: bytes ?? null, total_bytes: totalBytes ?? null, updated_at: now() })
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return 'ended'
      const row = await db.selectFrom('clones').select('is_cancelled').where('server_id', '=', id).executeTakeFirst()
      return row?.is_cancelled === 1 ? 'cancelled' : 'active'
    },

    /** Has no effect on a clone that has ended. */
    async cancel(id: string): Promise<void> {
      await active(id).set({ is_cancelled: 1 }).execute()
    },

    /** Marks it as done, with `work` in the same transaction. Returns whether it was active. */
    async finish(id: string, work: (transaction: Transaction) => Promise<void>): Promise<boolean> {
      return await runTransaction(db, async (transaction) => {
        const ending = active(id, transaction).where('is_cancelled', '=', 0)
        const { numUpdatedRows } = await ending.set({ state: 'done', updated_at: now() }).executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await work(transaction)
        return true
      })
    },

    /** Deletes the new server, on its node when that responds, and stores why. Returns whether it was active. */
    async fail({ id, nodeId }: Pick<CloneServers, 'id' | 'nodeId'>, reason: Refusal): Promise<boolean> {
      const state = reason.code === 'ErrCancelled' ? 'cancelled' : 'failed'
      const error = state === 'failed' ? JSON.stringify(envelopeOf(reason).error) : null
      return await runTransaction(db, async (transaction) => {
        const ended = { state, error, updated_at: now() }
        const { numUpdatedRows } = await active(id, transaction).set(ended).executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await deleteOnNodeLater(transaction, { id, nodeId }, now())
        await transaction.deleteFrom('servers').where('id', '=', id).execute()
        return true
      })
    },

    /** Active clones whose panel is gone. Deletes those that ended long ago. */
    async stale(): Promise<readonly Pick<CloneServers, 'id' | 'nodeId'>[]> {
      await db
        .deleteFrom('clones')
        .where('state', 'not in', activeStates)
        .where('updated_at', '<', now() - endedMs)
        .execute()
      const rows = await db
        .selectFrom('clones')
        .select(['server_id as id', 'node_id as nodeId'])
        .where('state', 'in', activeStates)
        .where('updated_at', '<', now() - staleMs)
        .execute()
      return rows
    },
  }
}

function viewOf({
  server_id: id,
  source_id: source,
  state,
  bytes,
  total_bytes,
  error,
}: Omit<CloneRow, 'is_cancelled'>): Clone {
  return {
    ...{ id, source, state: state as Clone['state'] },
    ...(bytes !== null && { bytes }),
    ...(total_bytes !== null && { totalBytes: total_bytes }),
    ...(error !== null && { error: ReportedError.parse(JSON.parse(error)) }),
  }
}
