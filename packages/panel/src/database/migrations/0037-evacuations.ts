import type { Kysely } from 'kysely'
import { bigint, boolean, createIndex, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** Nodes whose servers are moved to other nodes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to the table of nodes: the node of the panel's machine has no row there.
  await createTable(db, 'evacuations')
    .addColumn('id', varchar(36), (column) => column.primaryKey())
    .addColumn('node_id', bigint, (column) => column.notNull())
    .addColumn('to_node', bigint)
    .addColumn('labels', longText(db), (column) => column.notNull())
    .addColumn('server_order', varchar(16), (column) => column.notNull())
    .addColumn('at_once', bigint, (column) => column.notNull())
    .addColumn('leave_backups', boolean, (column) => column.notNull())
    .addColumn('user_id', bigint, (column) => column.notNull())
    .addColumn('state', varchar(16), (column) => column.notNull())
    .addColumn('is_cancelled', boolean, (column) => column.notNull().defaultTo(0))
    .addColumn('updated_at', timestampMs, (column) => column.notNull())
    .addColumn('lease', varchar(36))
    .addColumn('started_at', timestampMs, (column) => column.notNull())
    .addColumn('ended_at', timestampMs)
    .execute()
  await createIndex(db, 'evacuations_node_ix', 'evacuations', ['node_id'])
  // No reference to the table of servers: the report has those that were deleted, too.
  await createTable(db, 'evacuated_servers')
    .addColumn('evacuation_id', varchar(36), (column) => column.notNull())
    .addColumn('server_id', varchar(8), (column) => column.notNull())
    .addColumn('position', bigint, (column) => column.notNull())
    .addColumn('name', varchar(255), (column) => column.notNull())
    .addColumn('state', varchar(16), (column) => column.notNull())
    .addColumn('move_id', varchar(36))
    .addColumn('to_node', bigint)
    .addColumn('stopped_ms', bigint)
    .addColumn('moved_values', longText(db))
    .addColumn('error', longText(db))
    .addPrimaryKeyConstraint('evacuated_servers_pk', ['evacuation_id', 'server_id'])
    .execute()
}
