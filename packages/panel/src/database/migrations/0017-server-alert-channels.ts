import type { Kysely } from 'kysely'
import { addColumn, createIndex, varchar } from './helpers/columns.ts'

/** Channels of one server, which its users edit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'alert_channels', 'server_id', varchar(8))
  await createIndex(db, 'alert_channels_server_ix', 'alert_channels', ['server_id'])
}
