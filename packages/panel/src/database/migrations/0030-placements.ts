import type { Kysely } from 'kysely'
import { bigint, createIndex, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** Which servers are placed on a node, and the room that is reserved for servers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to the table of nodes: the node of the panel's machine has no row there.
  await createTable(db, 'node_placement')
    .addColumn('node_id', bigint, (column) => column.primaryKey())
    .addColumn('settings', longText(db), (column) => column.notNull())
    .execute()
  await createTable(db, 'placements')
    .addColumn('id', varchar(36), (column) => column.primaryKey())
    .addColumn('node_id', bigint, (column) => column.notNull())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('memory', bigint, (column) => column.notNull())
    .addColumn('disk', bigint, (column) => column.notNull())
    .addColumn('server_id', varchar(20))
    .addColumn('expires_at', timestampMs, (column) => column.notNull())
    .execute()
  await createIndex(db, 'placements_expires_ix', 'placements', ['expires_at'])
}
