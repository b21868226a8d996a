import type { Kysely } from 'kysely'
import { bigint, boolean, createIndex, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** Servers that are filled with the files of another one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to the table of servers: a clone that failed is shown after its server is deleted.
  await createTable(db, 'clones')
    .addColumn('server_id', varchar(8), (column) => column.primaryKey())
    .addColumn('source_id', varchar(8), (column) => column.notNull())
    .addColumn('node_id', bigint, (column) => column.notNull())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('state', varchar(16), (column) => column.notNull())
    .addColumn('bytes', bigint)
    .addColumn('total_bytes', bigint)
    .addColumn('error', longText(db))
    .addColumn('is_cancelled', boolean, (column) => column.notNull().defaultTo(0))
    .addColumn('updated_at', timestampMs, (column) => column.notNull())
    .execute()
  await createIndex(db, 'clones_updated_ix', 'clones', ['updated_at'])
}
