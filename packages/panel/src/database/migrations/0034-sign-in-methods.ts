import type { Kysely } from 'kysely'
import { addColumn, varchar } from './helpers/columns.ts'

/** How the users of sessions and of pending logins have signed in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['sessions', 'pending_logins']) {
    await addColumn(db, table, 'method', varchar(20), (column) => column.notNull().defaultTo('password'))
  }
}
