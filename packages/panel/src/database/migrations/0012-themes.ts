import type { Kysely } from 'kysely'
import { createTable, longText, moment, text, whole } from '../columns.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'themes')
    .addColumn('name', text(40), (column) => column.primaryKey())
    .addColumn('archive', longText(db), (column) => column.notNull())
    .addColumn('bytes', whole, (column) => column.notNull())
    .addColumn('left_out', longText(db), (column) => column.notNull())
    .addColumn('updated_at', moment, (column) => column.notNull())
    .execute()
}
