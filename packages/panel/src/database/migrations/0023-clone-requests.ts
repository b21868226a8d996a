import type { Kysely } from 'kysely'
import { addColumn, longText } from './helpers/columns.ts'

/** What a clone that failed is repeated with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'clones', 'request', longText(db))
}
