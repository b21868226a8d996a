import type { Kysely } from 'kysely'
import { bigint, createIndex, createTable, timestampMs, varchar } from './helpers/columns.ts'

/** Ports of servers that are being created: their nodes do not know them yet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'port_reservations')
    .addColumn('id', varchar(36), (column) => column.notNull())
    .addColumn('node_id', bigint, (column) => column.notNull())
    .addColumn('ip', varchar(255), (column) => column.notNull())
    .addColumn('port', bigint, (column) => column.notNull())
    .addColumn('expires_at', timestampMs, (column) => column.notNull())
    .addPrimaryKeyConstraint('port_reservations_pk', ['id', 'port'])
    .execute()
  await createIndex(db, 'port_reservations_expires_ix', 'port_reservations', ['expires_at'])
}
