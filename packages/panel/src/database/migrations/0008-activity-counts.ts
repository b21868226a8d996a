import type { Kysely } from 'kysely'
import { addColumn, bigint } from './helpers/columns.ts'

/** How many things an entry of activity sums up; null in an entry for one thing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'activity', 'count', bigint)
}
