import { type Kysely, sql } from 'kysely'
import { addColumn, createIndex, isSqlite, varchar } from './helpers/columns.ts'

/** Names of servers in lower case, so that a page of the sorted list is read from an index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'servers', 'name_key', varchar(40), (column) => {
    const generated = column.generatedAlwaysAs(sql`lower(name)`)
    // SQLite cannot add a stored column to a table; PostgreSQL has no other generated columns.
    return isSqlite(db) ? generated : generated.stored()
  })
  await createIndex(db, 'servers_name_key_ix', 'servers', ['name_key', 'name'])
}
