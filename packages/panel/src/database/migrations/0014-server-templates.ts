import type { Kysely } from 'kysely'
import { addColumn, text } from '../columns.ts'

/** Which template a server was made from, and where the last official version of a template came from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'servers', 'template', text(100))
  await addColumn(db, 'seeded_templates', 'source', text(16), (column) => column.notNull().defaultTo('bundled'))
}
