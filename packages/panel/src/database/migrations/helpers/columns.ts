import {
  type ColumnBuilderCallback,
  type CreateTableBuilder,
  type Expression,
  type Kysely,
  MysqlAdapter,
  SqliteAdapter,
  sql,
} from 'kysely'

/**
 * Portable schema helpers for migrations. MySQL and MariaDB do not roll back schema changes of a failed migration, so
 * every helper can be repeated.
 */

/** An integer in the safe range of JavaScript. */
export const bigint = 'bigint'

/** Epoch milliseconds. */
export const timestampMs = 'bigint'

/** 0 or 1. */
export const boolean = 'smallint'

/** Text with a maximum length in characters. */
export function varchar(length: number): `varchar(${number})` {
  return `varchar(${length})`
}

/** Unlimited text: `text` only holds 64 KiB on MySQL and MariaDB. It can have neither an index nor a default. */
export function longText(db: Kysely<unknown>): 'text' | Expression<unknown> {
  return isMysql(db) ? sql`longtext` : 'text'
}

/** Creates a table with a collation in which letters that differ in case or accent are different. */
export function createTable(db: Kysely<unknown>, name: string): CreateTableBuilder<string> {
  const table = db.schema.createTable(name)
  if (!isMysql(db)) return table
  return table.ifNotExists().modifyEnd(sql`engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin`)
}

/** Adds a column. A NOT NULL column needs a default for the existing rows. */
export async function addColumn(
  db: Kysely<unknown>,
  table: string,
  name: string,
  type: Parameters<CreateTableBuilder<string>['addColumn']>[1],
  build: ColumnBuilderCallback = (column) => column,
): Promise<void> {
  await ignoreRepeated(db, 'ER_DUP_FIELDNAME', () => db.schema.alterTable(table).addColumn(name, type, build).execute())
}

/** Creates an index: `<table>_<what>_uq` if it is unique, else `<table>_<what>_ix`. */
export async function createIndex(
  db: Kysely<unknown>,
  name: `${string}_${'uq' | 'ix'}`,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const index = db.schema
    .createIndex(name)
    .on(table)
    .columns([...columns])
  const creating = name.endsWith('_uq') ? index.unique() : index
  await ignoreRepeated(db, 'ER_DUP_KEYNAME', () => creating.execute())
}

/** Drops an index, of a unique constraint too. */
export async function dropIndex(db: Kysely<unknown>, name: string, table: string): Promise<void> {
  const dropping = db.schema.dropIndex(name)
  await ignoreMissing(db, () => (isMysql(db) ? dropping.on(table) : dropping.ifExists()).execute())
}

/** Drops a column, whose indexes must be dropped before. */
export async function dropColumn(db: Kysely<unknown>, table: string, name: string): Promise<void> {
  await ignoreMissing(db, () => db.schema.alterTable(table).dropColumn(name).execute())
}

function ignoreMissing(db: Kysely<unknown>, statement: () => Promise<unknown>): Promise<void> {
  return ignoreRepeated(db, 'ER_CANT_DROP_FIELD_OR_KEY', statement)
}

async function ignoreRepeated(db: Kysely<unknown>, code: string, statement: () => Promise<unknown>): Promise<void> {
  try {
    await statement()
  } catch (error) {
    if (!isMysql(db) || !(error instanceof Error && 'code' in error && error.code === code)) throw error
  }
}

export function isMysql(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof MysqlAdapter
}

export function isSqlite(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter
}
