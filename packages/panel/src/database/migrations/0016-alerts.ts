import type { Kysely } from 'kysely'
import { bigint, boolean, createIndex, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

/** Channels for alerts, alerts that last, and their deliveries. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'alert_channels')
    .addColumn('id', varchar(36), (column) => column.primaryKey())
    .addColumn('name', varchar(100), (column) => column.notNull())
    .addColumn('type', varchar(20), (column) => column.notNull())
    .addColumn('target', varchar(1000), (column) => column.notNull())
    .addColumn('secret', varchar(100), (column) => column.notNull())
    .addColumn('language', varchar(10), (column) => column.notNull())
    .addColumn('rules', longText(db), (column) => column.notNull())
    .addColumn('is_enabled', boolean, (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .execute()

  await createTable(db, 'alerts')
    .addColumn('alert_key', varchar(200), (column) => column.primaryKey())
    .addColumn('id', varchar(36), (column) => column.notNull())
    .addColumn('type', varchar(20), (column) => column.notNull())
    .addColumn('server_id', varchar(8))
    .addColumn('node_id', bigint)
    .addColumn('opened_at', timestampMs, (column) => column.notNull())
    .addColumn('last_at', timestampMs, (column) => column.notNull())
    .execute()

  await createTable(db, 'alert_events')
    .addColumn('id', varchar(50), (column) => column.primaryKey())
    .addColumn('at', timestampMs, (column) => column.notNull())
    .execute()
  await createIndex(db, 'alert_events_at_ix', 'alert_events', ['at'])

  await createTable(db, 'alert_deliveries')
    .addColumn('id', varchar(36), (column) => column.primaryKey())
    .addColumn('alert_id', varchar(36), (column) => column.notNull())
    .addColumn('channel_id', varchar(36), (column) => column.notNull())
    .addColumn('type', varchar(20), (column) => column.notNull())
    .addColumn('is_resolved', boolean, (column) => column.notNull())
    .addColumn('content', longText(db), (column) => column.notNull())
    .addColumn('state', varchar(10), (column) => column.notNull())
    .addColumn('tries', bigint, (column) => column.notNull())
    .addColumn('created_at', timestampMs, (column) => column.notNull())
    .addColumn('next_at', timestampMs, (column) => column.notNull())
    .addColumn('ended_at', timestampMs)
    .addColumn('lease', varchar(36), (column) => column.notNull())
    .addColumn('answer', varchar(500), (column) => column.notNull())
    .addForeignKeyConstraint('alert_deliveries_channel_fk', ['channel_id'], 'alert_channels', ['id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute()
  await createIndex(db, 'alert_deliveries_due_ix', 'alert_deliveries', ['state', 'next_at'])
  await createIndex(db, 'alert_deliveries_created_ix', 'alert_deliveries', ['created_at'])
  await createIndex(db, 'alert_deliveries_channel_ix', 'alert_deliveries', ['channel_id', 'created_at'])
  await createIndex(db, 'alert_deliveries_alert_ix', 'alert_deliveries', ['alert_id'])

  // For the places that a user signed in from.
  await createIndex(db, 'activity_user_action_ix', 'activity', ['user_id', 'action'])
}
