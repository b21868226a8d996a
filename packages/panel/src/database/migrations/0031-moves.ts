import type { Kysely } from 'kysely'
import { bigint, boolean, createIndex, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** Servers that are moved to another node. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to the table of servers: the copy on the former node is deleted after its server is.
  await createTable(db, 'moves')
    .addColumn('server_id', varchar(8), (column) => column.primaryKey())
    .addColumn('id', varchar(36), (column) => column.notNull())
    .addColumn('from_node', bigint, (column) => column.notNull())
    .addColumn('to_node', bigint, (column) => column.notNull())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('state', varchar(16), (column) => column.notNull())
    .addColumn('bytes', bigint)
    .addColumn('total_bytes', bigint)
    .addColumn('error', longText(db))
    .addColumn('is_cancelled', boolean, (column) => column.notNull().defaultTo(0))
    .addColumn('updated_at', timestampMs, (column) => column.notNull())
    .addColumn('lease', varchar(36))
    .addColumn('attempts', bigint, (column) => column.notNull().defaultTo(0))
    .addColumn('started_at', timestampMs, (column) => column.notNull())
    .addColumn('since', timestampMs, (column) => column.notNull().defaultTo(0))
    .addColumn('was_running', boolean)
    .addColumn('stopped_at', timestampMs)
    .addColumn('ready_at', timestampMs)
    .addColumn('copy_node', bigint)
    .addColumn('copy_until', timestampMs)
    .addColumn('data', longText(db), (column) => column.notNull())
    .addColumn('reservation', varchar(36), (column) => column.notNull())
    .execute()
  await createIndex(db, 'moves_updated_ix', 'moves', ['updated_at'])
}
