import type { Kysely } from 'kysely'
import { bigint, createTable, longText, timestampMs, varchar } from './helpers/columns.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'themes')
    .addColumn('name', varchar(40), (column) => column.primaryKey())
    .addColumn('archive', longText(db), (column) => column.notNull())
    .addColumn('bytes', bigint, (column) => column.notNull())
    .addColumn('left_out', longText(db), (column) => column.notNull())
    .addColumn('updated_at', timestampMs, (column) => column.notNull())
    .execute()
}
