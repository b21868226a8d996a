import type { Kysely } from 'kysely'
import { bigint, createTable, longText } from './helpers/columns.ts'

/** From which ports of a node new servers get theirs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to the table of nodes: the node of the panel's machine has no row there.
  await createTable(db, 'node_ports')
    .addColumn('node_id', bigint, (column) => column.primaryKey())
    .addColumn('ranges', longText(db), (column) => column.notNull())
    .execute()
}
