import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely'
import { migrate } from './migrations.ts'
import type { Database, Tables } from './schema.ts'

const busyMs = 5_000
const rememberedStatements = 200

/** Opens the database of a URL and brings its tables up to date. Whoever opens it calls `destroy`. */
export async function openDatabase(url: string): Promise<Database> {
  const db = new Kysely<Tables>({ dialect: dialectOf(url) })
  try {
    await migrate(db)
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

function dialectOf(url: string): SqliteDialect {
  const path = /^sqlite:(?<path>.+)$/.exec(url)?.groups?.path
  if (!path) {
    // Another URL can hold a password: name its kind only.
    const kind = /^[a-z0-9+]+(?=:)/i.exec(url)?.[0] ?? 'nothing'
    throw new Error(`The database must be 'sqlite:<path>' for now; '${kind}' is not supported yet.`)
  }
  return new SqliteDialect({ database: rememberingStatements(openSqlite(path)) })
}

function openSqlite(path: string): Sqlite.Database {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Hashes and the signing key are in it: nobody else may read it. The files beside it take its mode.
    closeSync(openSync(path, 'a', 0o600))
  }
  const file = new Sqlite(path)
  file.pragma(`busy_timeout = ${busyMs}`)
  file.pragma('journal_mode = WAL')
  file.pragma('synchronous = FULL')
  file.pragma('foreign_keys = ON')
  return file
}

/**
 * Prepares each statement once. Preparing costs more than running a small one, and statements that are left behind hold
 * memory that the collector does not see.
 */
function rememberingStatements(file: Sqlite.Database): SqliteDatabase {
  const remembered = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    prepare(text) {
      const statement = remembered.get(text) ?? file.prepare(text)
      // The one used last stands last; the first is the one to forget.
      remembered.delete(text)
      remembered.set(text, statement)
      if (remembered.size > rememberedStatements) remembered.delete(remembered.keys().next().value ?? '')
      return statement
    },
    close: () => file.close(),
  }
}
