import type { Kysely } from 'kysely'
import { addColumn, boolean } from './helpers/columns.ts'

/** Alerts that a node has sent while it did not reach the panel. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'alert_deliveries', 'is_by_node', boolean, (column) => column.notNull().defaultTo(0))
}
