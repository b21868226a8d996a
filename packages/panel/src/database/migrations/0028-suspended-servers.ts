import type { Kysely } from 'kysely'
import { addColumn, longText, timestampMs } from './helpers/columns.ts'

/** Servers that an administrator has suspended: since when, why, and when that ends by itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'servers', 'suspended_at', timestampMs)
  await addColumn(db, 'servers', 'suspended_reason', longText(db))
  await addColumn(db, 'servers', 'suspended_until', timestampMs)
}
