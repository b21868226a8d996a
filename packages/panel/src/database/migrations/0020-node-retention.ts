import type { Kysely } from 'kysely'
import { bigint, createTable, longText } from './helpers/columns.ts'

/** Which backups of servers are kept on a node, by default. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to the table of nodes: the node of the panel's machine has no row there.
  await createTable(db, 'node_retention')
    .addColumn('node_id', bigint, (column) => column.primaryKey())
    .addColumn('retention', longText(db), (column) => column.notNull())
    .execute()
}
