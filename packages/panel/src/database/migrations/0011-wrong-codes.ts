import type { Kysely } from 'kysely'
import { addColumn, bigint } from './helpers/columns.ts'

/** How many wrong two-factor codes in a row were entered. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'two_factor', 'wrong_codes', bigint, (column) => column.notNull().defaultTo(0))
}
