import type { Kysely } from 'kysely'
import { createIndex, createTable, moment, text, whole } from '../columns.ts'

/** Servers whose node was asked to create them and has not answered yet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to the table of servers: what a node may have created stays to be removed there when the row is gone.
  await createTable(db, 'server_creations')
    .addColumn('server_id', text(8), (column) => column.primaryKey())
    .addColumn('node_id', whole, (column) => column.notNull())
    .addColumn('created_at', moment, (column) => column.notNull())
    .execute()
  await createIndex(db, 'server_creations_created_ix', 'server_creations', ['created_at'])
}
