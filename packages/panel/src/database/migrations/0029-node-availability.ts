import type { Kysely } from 'kysely'
import { bigint, createTable, timestampMs, varchar } from './helpers/columns.ts'

/** Nodes that take no new servers, or are in maintenance. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to the table of nodes: the node of the panel's machine has no row there.
  await createTable(db, 'node_availability')
    .addColumn('node_id', bigint, (column) => column.primaryKey())
    .addColumn('state', varchar(20), (column) => column.notNull())
    .addColumn('reason', varchar(500), (column) => column.notNull())
    .addColumn('until', timestampMs)
    .execute()
}
