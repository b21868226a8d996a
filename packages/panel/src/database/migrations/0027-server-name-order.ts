import { type Kysely, sql } from 'kysely'
import { addColumn, createIndex, dropColumn, dropIndex, isMysql, isSqlite, varchar } from './helpers/columns.ts'

/** A stand-in for the tables as they are at this point. */
interface Tables {
  servers: { id: string; name: string; name_key: string; name_sort: string }
}

/** Longer names in any script, unique without case, and sorted as people sort them: `a5` before `a15`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await dropIndex(db, 'servers_name_key_ix', 'servers')
  await dropIndex(db, 'servers_name_uq', 'servers')
  // It was generated from the name; PostgreSQL does not change the type of such a name.
  await dropColumn(db, 'servers', 'name_key')
  await widenName(db)
  // Without NOT NULL, so that the previous version can add servers while a later migration fails.
  await addColumn(db, 'servers', 'name_key', keyType(db))
  await addColumn(db, 'servers', 'name_sort', keyType(db))
  await fill(db as Kysely<Tables>)
  await createIndex(db, 'servers_name_uq', 'servers', ['name_key'])
  await createIndex(db, 'servers_name_sort_ix', 'servers', ['name_sort', 'name_key'])
}

/** SQLite does not limit the length of text. */
async function widenName(db: Kysely<unknown>): Promise<void> {
  if (isSqlite(db)) return
  await (isMysql(db)
    ? sql`alter table servers modify name varchar(100) not null`.execute(db)
    : sql`alter table servers alter column name type varchar(100)`.execute(db))
}

/** Sorted by code point. */
const keyType = (db: Kysely<unknown>) => (isSqlite(db) || isMysql(db) ? varchar(255) : sql`varchar(255) collate "C"`)

/** Names that differ only in case were allowed: the later one gets a key with its ID. */
async function fill(db: Kysely<Tables>): Promise<void> {
  const rows = await db.selectFrom('servers').select(['id', 'name']).orderBy('name').orderBy('id').execute()
  const taken = new Set<string>()
  for (const { id, name } of rows) {
    const key = name.toLowerCase()
    const name_key = taken.has(key) ? `${key} ${id}` : key
    taken.add(key)
    await db
      .updateTable('servers')
      .set({ name_key, name_sort: sortKey(name) })
      .where('id', '=', id)
      .execute()
  }
}

function sortKey(name: string): string {
  return name.toLowerCase().replace(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '')
    return `${String(number.length).padStart(3, '0')}${number}`
  })
}
