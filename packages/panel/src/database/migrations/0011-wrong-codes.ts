import type { Kysely } from 'kysely'
import { addColumn, whole } from '../columns.ts'

/** How many wrong two-factor codes in a row were entered. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'two_factor', 'wrong_codes', whole, (column) => column.notNull().defaultTo(0))
}
