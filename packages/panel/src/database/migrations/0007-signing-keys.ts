import type { Kysely } from 'kysely'
import { addColumn, timestampMs } from './helpers/columns.ts'

/** Since when a key signs: the next one is there before it does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'signing_keys', 'signs_since', timestampMs)
}
