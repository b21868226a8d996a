import type { Kysely } from 'kysely'
import { bigint, createIndex, createTable, timestampMs, varchar } from './helpers/columns.ts'

/** Servers that their node was asked to create, or is to delete, and that it has not answered for yet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to the table of servers: what a node may have created stays to be removed there when the row is gone.
  await createTable(db, 'unfinished_servers')
    .addColumn('server_id', varchar(8), (column) => column.primaryKey())
    .addColumn('node_id', bigint, (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .execute()
  await createIndex(db, 'unfinished_servers_created_ix', 'unfinished_servers', ['created_at'])
}
