import type { Kysely } from 'kysely'
import { bigint, createIndex, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** The machines beside the panel's own, and what every node said last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'nodes')
    .addColumn('id', bigint, (column) => column.primaryKey())
    .addColumn('name', varchar(100), (column) => column.notNull())
    .addColumn('name_key', varchar(100), (column) => column.notNull())
    .addColumn('public_host', varchar(253), (column) => column.notNull())
    .addColumn('public_port', bigint, (column) => column.notNull())
    .addColumn('private_host', varchar(253), (column) => column.notNull())
    .addColumn('private_port', bigint, (column) => column.notNull())
    .addColumn('sftp_port', bigint, (column) => column.notNull())
    .addColumn('secret', varchar(64), (column) => column.notNull())
    .addColumn('certificate', longText(db), (column) => column.notNull())
    .addColumn('joined_at', timestampMs)
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .execute()
  await createIndex(db, 'nodes_name_uq', 'nodes', ['name_key'])

  // No reference to the table of nodes: the node of the panel's machine has no row there.
  await createTable(db, 'node_reports')
    .addColumn('node_id', bigint, (column) => column.primaryKey())
    .addColumn('since', timestampMs, (column) => column.notNull())
    .addColumn('seen_at', timestampMs, (column) => column.notNull())
    .addColumn('skew', bigint, (column) => column.notNull())
    .addColumn('reached_at', timestampMs, (column) => column.notNull())
    .addColumn('is_reachable', 'smallint', (column) => column.notNull())
    .addColumn('body', longText(db), (column) => column.notNull())
    .addColumn('servers', longText(db), (column) => column.notNull())
    .execute()
}
