import type { Kysely } from 'kysely'
import { createIndex, createTable, longText, moment, text, whole } from '../columns.ts'

/** The machines beside the panel's own, and what every node said last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'nodes')
    .addColumn('id', whole, (column) => column.primaryKey())
    .addColumn('name', text(100), (column) => column.notNull())
    .addColumn('name_key', text(100), (column) => column.notNull())
    .addColumn('public_host', text(253), (column) => column.notNull())
    .addColumn('public_port', whole, (column) => column.notNull())
    .addColumn('private_host', text(253), (column) => column.notNull())
    .addColumn('private_port', whole, (column) => column.notNull())
    .addColumn('sftp_port', whole, (column) => column.notNull())
    .addColumn('secret', text(64), (column) => column.notNull())
    .addColumn('certificate', longText(db), (column) => column.notNull())
    .addColumn('joined_at', moment)
    .addColumn('created_at', moment, (column) => column.notNull())
    .execute()
  await createIndex(db, 'nodes_name_uq', 'nodes', ['name_key'])

  // No reference to the table of nodes: the node of the panel's machine has no row there.
  await createTable(db, 'node_reports')
    .addColumn('node_id', whole, (column) => column.primaryKey())
    .addColumn('since', moment, (column) => column.notNull())
    .addColumn('seen_at', moment, (column) => column.notNull())
    .addColumn('skew', whole, (column) => column.notNull())
    .addColumn('reached_at', moment, (column) => column.notNull())
    .addColumn('is_reachable', 'smallint', (column) => column.notNull())
    .addColumn('body', longText(db), (column) => column.notNull())
    .addColumn('servers', longText(db), (column) => column.notNull())
    .execute()
}
