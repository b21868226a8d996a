import type { Kysely } from 'kysely'
import { bigint, createIndex, createTable, timestampMs, varchar } from './helpers/columns.ts'

/** Problems of servers and nodes with begin and end, for the users who see them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'notifications')
    // That of the alert.
    .addColumn('id', varchar(36), (column) => column.primaryKey())
    .addColumn('type', varchar(20), (column) => column.notNull())
    .addColumn('server_id', varchar(8))
    .addColumn('node_id', bigint)
    .addColumn('began_at', timestampMs, (column) => column.notNull())
    .addColumn('ended_at', timestampMs)
    .execute()
  await createIndex(db, 'notifications_began_ix', 'notifications', ['began_at'])
  await createIndex(db, 'notifications_server_ix', 'notifications', ['server_id'])
}
