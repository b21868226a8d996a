import type { Kysely } from 'kysely'
import { addColumn, bigint } from './helpers/columns.ts'

/** Who made a channel: it sends as long as they may have it. Not known of the channels before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'alert_channels', 'owner_id', bigint)
}
