import type { Kysely } from 'kysely'
import { addColumn, timestampMs } from './helpers/columns.ts'

/** When the password was last confirmed in a session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'sessions', 'confirmed_at', timestampMs)
}
