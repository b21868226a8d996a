import { randomUUID } from 'node:crypto'
import { type Clone, CloneRequest, type FailedClone } from '@innkeeper/contract/clones/clones'
import { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { ReportedError } from '@innkeeper/contract/errors/refusal-envelope'
import type { Database, StoredRow, Transaction } from '../database/schema.ts'

/** States of a clone that a panel makes. */
export const activeStates = ['backup', 'copy'] as const
export type ActiveState = (typeof activeStates)[number]

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

/** Adds a clone within the transaction that adds the new server. `request` repeats the clone. */
export async function addClone(
  transaction: Transaction,
  clone: NewClone,
  request: CloneRequest,
  now: number,
): Promise<LeasedClone> {
  const { id, nodeId, source, userId, backup, hasUsers, isDisabled, tasks } = clone
  const lease = randomUUID()
  const row = {
    server_id: id,
    source_id: source,
    node_id: nodeId,
    user_id: userId,
    updated_at: now,
    lease,
    state: backup === undefined ? 'backup' : 'copy',
    backup_id: backup ?? null,
    has_users: hasUsers ? 1 : 0,
    is_disabled: isDisabled ? 1 : 0,
    tasks: tasks ? JSON.stringify(tasks) : null,
    request: JSON.stringify(request),
  }
  await deleteFailed(transaction, userId).where('source_id', '=', source).execute()
  await transaction.insertInto('clones').values(row).execute()
  return { ...clone, lease, attempts: 0 }
}

export async function findClone(
  db: Database,
  id: string,
): Promise<{ readonly clone: Clone; readonly userId: number } | undefined> {
  const row = await db.selectFrom('clones').selectAll().where('server_id', '=', id).executeTakeFirst()
  return row && { clone: getView(row), userId: row.user_id }
}

/** The failed clones of a user, latest first. */
export async function failedClones(db: Database, userId: number): Promise<FailedClone[]> {
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
      id,
      source: { id: source_id, ...(name !== null && { name }) },
      request: CloneRequest.parse(JSON.parse(request)),
      error: ReportedError.parse(JSON.parse(error)),
    }
  })
}

export async function dismissFailedClone(db: Database, userId: number, id: string): Promise<void> {
  await deleteFailed(db, userId).where('server_id', '=', id).execute()
}

/** Has no effect on a clone that has ended. */
export async function cancelClone(db: Database, id: string): Promise<void> {
  const active = db.updateTable('clones').where('server_id', '=', id).where('state', 'in', activeStates)
  await active.set({ is_cancelled: 1 }).execute()
}

function deleteFailed(db: Database, userId: number) {
  return db.deleteFrom('clones').where('user_id', '=', userId).where('state', '=', 'failed')
}

/** A user who may have been deleted. */
export async function readUser(id: number, db: Database): Promise<{ id: number; username: string } | undefined> {
  return await db.selectFrom('users').select(['id', 'username']).where('id', '=', id).executeTakeFirst()
}

/** A clone as its panel makes it. */
export function getClone(row: StoredRow<'clones'>): Omit<LeasedClone, 'lease'> {
  return {
    id: row.server_id,
    nodeId: row.node_id,
    source: row.source_id,
    userId: row.user_id,
    backup: row.backup_id ?? undefined,
    attempts: row.attempts,
    hasUsers: row.has_users === 1,
    isDisabled: row.is_disabled === 1,
    tasks: row.tasks === null ? undefined : ServerDefinition.shape.tasks.parse(JSON.parse(row.tasks)),
  }
}

function getView(row: StoredRow<'clones'>): Clone {
  const { server_id: id, source_id: source, state, bytes, total_bytes, error } = row
  return {
    id,
    source,
    state: state as Clone['state'],
    ...(bytes !== null && { bytes }),
    ...(total_bytes !== null && { totalBytes: total_bytes }),
    ...(error !== null && { error: ReportedError.parse(JSON.parse(error)) }),
  }
}
