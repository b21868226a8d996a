import type { Kysely } from 'kysely'
import { addColumn, createIndex, timestampMs } from './helpers/columns.ts'

/** When access to a server ends by itself, for users and in invites. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'server_users', 'expires_at', timestampMs)
  await createIndex(db, 'server_users_expires_ix', 'server_users', ['expires_at'])
  await addColumn(db, 'invite_servers', 'expires_at', timestampMs)
}
