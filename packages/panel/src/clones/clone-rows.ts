import { randomUUID } from 'node:crypto'
import { type Clone, CloneRequest, type FailedClone } from '@innkeeper/contract/clones'
import { ServerDefinition } from '@innkeeper/contract/definition'
import { envelopeOf, ReportedError } from '@innkeeper/contract/refusal-envelope'
import type { Refusal } from '@innkeeper/contract/refusals'
import type { ActivityLog } from '../activity/activity.ts'
import { runTransaction } from '../database/rows.ts'
import type { CloneRow, Database, Transaction } from '../database/schema.ts'
import { deleteOnNodeLater } from '../servers/removal.ts'

const activeStates = ['backup', 'copy'] as const
export type ActiveState = (typeof activeStates)[number]

/** Age of a row that no panel renews any more. */
const staleMs = 60 * 1000
const dayMs = 24 * 60 * 60 * 1000
/** How long an ended clone is shown. */
const endedMs = dayMs
/** How long a failed one is, unless it is dismissed. */
const failedMs = 30 * dayMs

/** What a panel needs to make a clone, or to continue it. */
export interface NewClone {
  /** ID of the new server. */
  readonly id: string
  readonly nodeId: number
  /** ID of the source. */
  readonly source: string
  /** Its creator. */
  readonly userId: number
  /** The backup that is copied; a backup of the current state without it. */
  readonly backup: string | undefined
  readonly hasUsers: boolean
  /** Whether the source is disabled. The new server is until it is complete. */
  readonly isDisabled: boolean
  /** The tasks of the source; they start when the server is complete. */
  readonly tasks: ServerDefinition['tasks']
}

/** A clone that this panel makes. */
export interface LeasedClone extends NewClone {
  readonly lease: string
  readonly attempts: number
}

export interface CloneProgress {
  readonly state: ActiveState
  readonly bytes?: number | undefined
  readonly totalBytes?: number | undefined
}

/** What has been done, for the panel that continues. */
type Checkpoint = Partial<Pick<CloneRow, 'backup_id' | 'state'>> & { readonly attempts?: number }

type Lease = Pick<LeasedClone, 'id' | 'lease'>

interface Deps {
  readonly db: Database
  readonly activity: Pick<ActivityLog, 'record'>
  readonly now: () => number
}

/**
 * The table of clones: progress, cancellation and result, for all panels. Only the panel with the lease changes a clone. When
 * another panel has taken the lease, the next change of the former one fails.
 */
export function cloneRows({ db, activity, now }: Deps) {
  const active = (id: string, on: Database | Transaction = db) =>
    on.updateTable('clones').where('server_id', '=', id).where('state', 'in', activeStates)
  const failedOf = (userId: number, on: Database | Transaction = db) =>
    on.deleteFrom('clones').where('user_id', '=', userId).where('state', '=', 'failed')
  const leased = ({ id, lease }: Lease, on?: Transaction) => active(id, on).where('lease', '=', lease)

  return {
    /** Within the transaction that adds the new server. `request` repeats the clone. */
    async add(transaction: Transaction, clone: NewClone, request: CloneRequest): Promise<LeasedClone> {
      const { id, nodeId, source, userId, backup, hasUsers, isDisabled, tasks } = clone
      const lease = randomUUID()
      const row = {
        ...{ server_id: id, source_id: source, node_id: nodeId, user_id: userId, updated_at: now(), lease },
        ...{ state: backup === undefined ? 'backup' : 'copy', backup_id: backup ?? null },
        ...{
          has_users: hasUsers ? 1 : 0,
          is_disabled: isDisabled ? 1 : 0,
          tasks: tasks ? JSON.stringify(tasks) : null,
          request: JSON.stringify(request),
        },
      }
      await failedOf(userId, transaction).where('source_id', '=', source).execute()
      await transaction.insertInto('clones').values(row).execute()
      return { ...clone, lease, attempts: 0 }
    },

    /** Its server was not created. */
    async remove({ id, lease }: Lease): Promise<void> {
      await db.deleteFrom('clones').where('server_id', '=', id).where('lease', '=', lease).execute()
    },

    async find(id: string): Promise<{ readonly clone: Clone; readonly userId: number } | undefined> {
      const row = await db.selectFrom('clones').selectAll().where('server_id', '=', id).executeTakeFirst()
      return row && { clone: viewOf(row), userId: row.user_id }
    },

    /** The failed clones of a user, latest first. */
    async failed(userId: number): Promise<FailedClone[]> {
      const rows = await db
        .selectFrom('clones')
        .leftJoin('servers', 'servers.id', 'clones.source_id')
        .select(['server_id', 'source_id', 'servers.name', 'error', 'request'])
        .where('user_id', '=', userId)
        .where('state', '=', 'failed')
        .orderBy('updated_at', 'desc')
        .execute()
      return rows.flatMap(({ server_id: id, source_id, name, error, request }) => {
        if (error === null || request === null) return []
        return {
          ...{ id, source: { id: source_id, ...(name !== null && { name }) } },
          request: CloneRequest.parse(JSON.parse(request)),
          error: ReportedError.parse(JSON.parse(error)),
        }
      })
    },

    async dismiss(id: string, userId: number): Promise<void> {
      await failedOf(userId).where('server_id', '=', id).execute()
    },

    /** Returns `cancelled` if a user canceled the clone, `ended` if another panel holds the lease. */
    async renew(lease: Lease, { state, bytes, totalBytes }: CloneProgress): Promise<'active' | 'cancelled' | 'ended'> {
      const { numUpdatedRows } = await leased(lease)
        .set({ state, bytes: bytes ?? null, total_bytes: totalBytes ?? null, updated_at: now() })
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return 'ended'
      const row = await db
        .selectFrom('clones')
        .select('is_cancelled')
        .where('server_id', '=', lease.id)
        .executeTakeFirst()
      return row?.is_cancelled === 1 ? 'cancelled' : 'active'
    },

    /** Stores how far it is. Returns whether this panel has the lease. */
    async save(lease: Lease, checkpoint: Checkpoint): Promise<boolean> {
      const { numUpdatedRows } = await leased(lease)
        .set({ ...checkpoint, updated_at: now() })
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Lets another panel continue it at once. */
    async release(lease: Lease): Promise<void> {
      await leased(lease).set({ lease: null, updated_at: 0 }).execute()
    },

    /** Has no effect on a clone that has ended. */
    async cancel(id: string): Promise<void> {
      await active(id).set({ is_cancelled: 1 }).execute()
    },

    /** Marks it as done, with `work` in the same transaction. Returns whether it was active. */
    async finish(lease: Lease, work: (transaction: Transaction) => Promise<void>): Promise<boolean> {
      return await runTransaction(db, async (transaction) => {
        const ending = leased(lease, transaction).where('is_cancelled', '=', 0)
        const ended = { state: 'done', tasks: null, updated_at: now() }
        const { numUpdatedRows } = await ending.set(ended).executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await work(transaction)
        return true
      })
    },

    /** Deletes the new server, on its node when that responds, and records why. Returns whether it was active. */
    async fail(clone: LeasedClone, reason: Refusal): Promise<boolean> {
      const { id, nodeId, source, userId } = clone
      const state = reason.code === 'ErrCancelled' ? 'cancelled' : 'failed'
      const error = state === 'failed' ? JSON.stringify(envelopeOf(reason).error) : null
      return await runTransaction(db, async (transaction) => {
        const ended = { state, error, tasks: null, updated_at: now() }
        const { numUpdatedRows } = await leased(clone, transaction).set(ended).executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await deleteOnNodeLater(transaction, { id, nodeId }, now())
        await transaction.deleteFrom('servers').where('id', '=', id).execute()
        if (state === 'failed') {
          const user = await userOf(userId, transaction)
          const event = { action: 'server.clone', server: id, target: source, from: 'panel', result: 'failed' } as const
          await activity.record({ ...event, user, code: reason.code }, transaction)
        }
        return true
      })
    },

    /** Leases the active clones whose panel is gone. Deletes those that ended long ago. */
    async leaseStale(): Promise<readonly LeasedClone[]> {
      await db
        .deleteFrom('clones')
        .where(({ eb, or }) =>
          or([
            eb('state', 'in', ['done', 'cancelled']).and('updated_at', '<', now() - endedMs),
            eb('state', '=', 'failed').and('updated_at', '<', now() - failedMs),
          ]),
        )
        .execute()
      const rows = await db
        .selectFrom('clones')
        .selectAll()
        .where('state', 'in', activeStates)
        .where('updated_at', '<', now() - staleMs)
        .execute()
      const clones: LeasedClone[] = []
      for (const row of rows) {
        const lease = randomUUID()
        // Another panel may have been faster.
        const { numUpdatedRows } = await active(row.server_id)
          .where('updated_at', '=', row.updated_at)
          .set({ lease, updated_at: now() })
          .executeTakeFirst()
        if (numUpdatedRows > 0n) clones.push({ ...cloneOf(row), lease })
      }
      return clones
    },
  }
}

export type CloneRows = ReturnType<typeof cloneRows>

/** A user who may have been deleted. */
export async function userOf(id: number, db: Database): Promise<{ id: number; username: string } | undefined> {
  return await db.selectFrom('users').select(['id', 'username']).where('id', '=', id).executeTakeFirst()
}

function cloneOf(row: CloneRowRead): Omit<LeasedClone, 'lease'> {
  return {
    ...{ id: row.server_id, nodeId: row.node_id, source: row.source_id, userId: row.user_id },
    ...{ backup: row.backup_id ?? undefined, attempts: row.attempts },
    ...{ hasUsers: row.has_users === 1, isDisabled: row.is_disabled === 1 },
    tasks: row.tasks === null ? undefined : ServerDefinition.shape.tasks.parse(JSON.parse(row.tasks)),
  }
}

/** A row as it is read. */
type CloneRowRead = Omit<CloneRow, 'is_cancelled' | 'attempts' | 'has_users' | 'is_disabled'> & {
  readonly attempts: number
  readonly has_users: number
  readonly is_disabled: number
}

function viewOf(row: CloneRowRead): Clone {
  const { server_id: id, source_id: source, state, bytes, total_bytes, error } = row
  return {
    ...{ id, source, state: state as Clone['state'] },
    ...(bytes !== null && { bytes }),
    ...(total_bytes !== null && { totalBytes: total_bytes }),
    ...(error !== null && { error: ReportedError.parse(JSON.parse(error)) }),
  }
}
