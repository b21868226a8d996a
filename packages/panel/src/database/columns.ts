import {
  type ColumnBuilderCallback,
  type CreateTableBuilder,
  type Expression,
  type Kysely,
  MysqlAdapter,
  sql,
} from 'kysely'

/**
 * What migrations are written with, the same for every database. MySQL and MariaDB keep the tables of a migration that
 * failed in its middle, so that everything here can be run again there.
 */

/** A number that we choose or count. As wide as JavaScript counts: no number that someone asks for is out of range. */
export const bigint = 'bigint'

/** Epoch milliseconds. */
export const timestampMs = 'bigint'

/** 0 or 1. */
export const boolean = 'smallint'

/** Text of so many characters at most. */
export function varchar(length: number): `varchar(${number})` {
  return `varchar(${length})`
}

/** Text without a bound: `text` holds only 64 KiB on MySQL and MariaDB. It can have neither an index nor a default. */
export function longText(db: Kysely<unknown>): 'text' | Expression<unknown> {
  return isMysql(db) ? sql`longtext` : 'text'
}

/** A new table. Letters that differ in their case or accent are different letters in every database. */
export function createTable(db: Kysely<unknown>, name: string): CreateTableBuilder<string> {
  const table = db.schema.createTable(name)
  if (!isMysql(db)) return table
  return table.ifNotExists().modifyEnd(sql`engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin`)
}

/** A new column. One that must not be null needs a default, for the rows that are there. */
export async function addColumn(
  db: Kysely<unknown>,
  table: string,
  name: string,
  type: Parameters<CreateTableBuilder<string>['addColumn']>[1],
  build: ColumnBuilderCallback = (column) => column,
): Promise<void> {
  await ignoreExisting(db, 'ER_DUP_FIELDNAME', () => db.schema.alterTable(table).addColumn(name, type, build).execute())
}

/** A new index: `<table>_<what>_uq` when it is unique, `<table>_<what>_ix` when it is not. */
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
  await ignoreExisting(db, 'ER_DUP_KEYNAME', () => creating.execute())
}

async function ignoreExisting(db: Kysely<unknown>, code: string, statement: () => Promise<unknown>): Promise<void> {
  try {
    await statement()
  } catch (error) {
    if (!isMysql(db) || !(error instanceof Error && 'code' in error && error.code === code)) throw error
  }
}

function isMysql(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof MysqlAdapter
}
