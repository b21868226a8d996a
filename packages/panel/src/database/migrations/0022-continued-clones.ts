import type { Kysely } from 'kysely'
import { addColumn, bigint, boolean, longText, varchar } from './helpers/columns.ts'

/** What a panel needs to continue the clone of another one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'clones', 'lease', varchar(36))
  await addColumn(db, 'clones', 'backup_id', varchar(16))
  await addColumn(db, 'clones', 'attempts', bigint, (column) => column.notNull().defaultTo(0))
  await addColumn(db, 'clones', 'has_users', boolean, (column) => column.notNull().defaultTo(0))
  await addColumn(db, 'clones', 'is_disabled', boolean, (column) => column.notNull().defaultTo(0))
  await addColumn(db, 'clones', 'tasks', longText(db))
}
