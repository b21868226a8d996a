import type { Kysely } from 'kysely'
import { addColumn, bigint } from './helpers/columns.ts'

/** Which invites were given as a link to copy instead of by mail. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'invites', 'is_link', bigint)
}
