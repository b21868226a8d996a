import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { Client } from 'pg'
import { connectTimeoutMs } from './connection-limits.ts'

const maxRows = 500_000
const maxFileBytes = 4 * 1024 ** 3
const queryTimeoutMs = 120_000

export type ForeignRow = Readonly<Record<string, unknown>>

/** The database of another program, which is only read. */
export interface ForeignDatabase extends AsyncDisposable {
  /** Column names by table. */
  readonly tables: ReadonlyMap<string, readonly string[]>
  /** All rows of a table, unordered; none when there is no such table. */
  rows(table: string): Promise<readonly ForeignRow[]>
}

/** The database of another program cannot be read. */
export class ForeignDatabaseError extends Error {
  override readonly name = 'ForeignDatabaseError'
}

/**
 * Opens `sqlite:<path>`, `mysql://…`, `mariadb://…` or `postgresql://…` for reading. A SQLite file is copied first,
 * because even a reader would write files beside it. A server is read in one read-only transaction.
 * @throws ForeignDatabaseError
 */
export async function openForeignDatabase(url: string): Promise<ForeignDatabase> {
  if (url.startsWith('sqlite:')) return openFile(url.slice('sqlite:'.length))
  if (/^(mysql|mariadb):\/\//.test(url)) return openMysql(url)
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url)
  const form = /^[a-z0-9+]{1,20}(?=:)/i.exec(url)?.[0] ?? 'nothing'
  throw new ForeignDatabaseError(
    `Databases of the kind '${form}' cannot be imported: only sqlite, mysql, mariadb and postgresql.`,
  )
}

async function openFile(path: string): Promise<ForeignDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-import-'))
  try {
    const copy = await copyFiles(path, folder)
    const file = new Sqlite(copy)
    try {
      // Views and triggers of the file must not run functions with side effects.
      file.pragma('trusted_schema = OFF')
      if (file.pragma('quick_check(1)', { simple: true }) !== 'ok')
        throw new ForeignDatabaseError(
          `${path} is damaged, or was written during the copy: stop the other panel first.`,
        )
      const names = file.prepare("select name from sqlite_master where type = 'table'").pluck().all().map(String)
      const columns = file.prepare('select name from pragma_table_info(?)').pluck()
      const tables = new Map(names.map((name) => [name, columns.all(name).map(String)]))
      return {
        tables,
        rows: async (table) => {
          if (!tables.has(table)) return []
          return bounded(table, file.prepare(`select * from "${table}" limit ${maxRows + 1}`).all() as ForeignRow[])
        },
        [Symbol.asyncDispose]: async () => {
          file.close()
          await rm(folder, { recursive: true, force: true })
        },
      }
    } catch (error) {
      file.close()
      throw error
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (error instanceof ForeignDatabaseError || !(error instanceof Error)) throw error
    throw new ForeignDatabaseError(`${path} cannot be read: ${error.message}`, { cause: error })
  }
}

/** Copies a SQLite file with its write-ahead log. */
async function copyFiles(path: string, folder: string): Promise<string> {
  const { size } = await stat(path)
  if (size > maxFileBytes) throw new ForeignDatabaseError(`${path} is larger than 4 GiB.`)
  const copy = join(folder, 'copy.db')
  await copyFile(path, copy)
  await copyFile(`${path}-wal`, `${copy}-wal`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  return copy
}

async function openMysql(url: string): Promise<ForeignDatabase> {
  const connection = await createConnection({
    uri: url,
    connectTimeout: connectTimeoutMs,
    dateStrings: true,
    jsonStrings: true,
    supportBigNumbers: true,
  }).catch(unreadable)
  try {
    await connection.query('start transaction with consistent snapshot, read only')
    const [columns] = await connection.query<RowDataPacket[]>({
      sql: columnsSql('= database()'),
      timeout: queryTimeoutMs,
    })
    const tables = getTables(columns)
    return {
      tables,
      rows: async (table) => {
        if (!tables.has(table)) return []
        const sql = `select * from \`${table}\` limit ${maxRows + 1}`
        const [rows] = await connection.query<RowDataPacket[]>({ sql, timeout: queryTimeoutMs }).catch(unreadable)
        return bounded(table, rows)
      },
      [Symbol.asyncDispose]: () => connection.end(),
    }
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/** Reads every value as text: dates, large numbers and JSON stay as they are. */
async function openPostgres(url: string): Promise<ForeignDatabase> {
  const client = getClient(url)
  // A lost connection also fails the query in progress.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('begin transaction isolation level repeatable read, read only')
    const tables = getTables((await client.query<ForeignRow>(columnsSql('= any(current_schemas(false))'))).rows)
    return {
      tables,
      rows: async (table) => {
        if (!tables.has(table)) return []
        const sql = `select * from ${client.escapeIdentifier(table)} limit ${maxRows + 1}`
        return bounded(table, (await client.query<ForeignRow>(sql).catch(unreadable)).rows)
      },
      [Symbol.asyncDispose]: () => client.end(),
    }
  } catch (error) {
    await client.end()
    return unreadable(error)
  }
}

function getClient(url: string): Client {
  try {
    return new Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      types: { getTypeParser: () => (value: unknown) => value },
    })
  } catch (error) {
    return unreadable(error)
  }
}

const columnsSql = (isSchema: string) =>
  `select table_name as t, column_name as c from information_schema.columns where table_schema ${isSchema}`

/** Column names by table. */
function getTables(columns: readonly ForeignRow[]): ReadonlyMap<string, readonly string[]> {
  const tables = new Map<string, string[]>()
  for (const { t, c } of columns) tables.set(String(t), [...(tables.get(String(t)) ?? []), String(c)])
  return tables
}

/** The message contains no password; the error of the driver can. */
function unreadable(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error)
  throw new ForeignDatabaseError(`The database cannot be read: ${reason}`)
}

function bounded(table: string, rows: readonly ForeignRow[]): readonly ForeignRow[] {
  if (rows.length > maxRows) throw new ForeignDatabaseError(`The table ${table} has more than ${maxRows} rows.`)
  return rows
}
