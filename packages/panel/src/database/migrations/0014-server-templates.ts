import type { Kysely } from 'kysely'
import { addColumn, varchar } from './helpers/columns.ts'

/** Which template a server was made from, and where the last official version of a template came from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'servers', 'template', varchar(100))
  await addColumn(db, 'seeded_templates', 'source', varchar(16), (column) => column.notNull().defaultTo('bundled'))
}
