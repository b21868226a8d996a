import type { Kysely } from 'kysely'
import { bigint, createIndex, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** DNS names of servers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'dns_names')
    .addColumn('label', varchar(63), (column) => column.notNull().primaryKey())
    // No reference to the table of servers: the records of a deleted server are removed afterwards.
    .addColumn('server_id', varchar(8))
    .addColumn('state', varchar(20), (column) => column.notNull())
    .addColumn('written', longText(db))
    .addColumn('found', longText(db))
    .addColumn('error', longText(db))
    .addColumn('attempts', bigint, (column) => column.notNull())
    .addColumn('checked_at', timestampMs)
    .addColumn('next_at', timestampMs, (column) => column.notNull())
    .addColumn('lease', varchar(36), (column) => column.notNull())
    .execute()
  await createIndex(db, 'dns_names_server_uq', 'dns_names', ['server_id'])
  await createIndex(db, 'dns_names_due_ix', 'dns_names', ['next_at'])
}
