import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely'

const busyMs = 5_000
const patientMs = 120_000
const rememberedStatements = 200

/**
 * The database in a file, or in memory for `:memory:`. Other programs of ours may have it open at the same time.
 * `patient` is for migrations: it waits for another's as long as that may take.
 */
export function sqlite(path: string, { patient = false } = {}): Dialect {
  return new EmbeddedDialect({ database: rememberingStatements(openSqlite(path, patient ? patientMs : busyMs)) })
}

class EmbeddedDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig

  constructor(config: SqliteDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver() {
    return new ImmediateDriver(this.#config)
  }

  override createAdapter() {
    return new TransactionalAdapter()
  }
}

/** A transaction that reads first and writes later would fail, not wait, when another program wrote in between. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** Tables are changed whole or not at all here too. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

function openSqlite(path: string, waitMs: number): Sqlite.Database {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Hashes and the signing key are in it: nobody else may read it. The files beside it take its mode.
    closeSync(openSync(path, 'a', 0o600))
  }
  const file = new Sqlite(path)
  file.pragma(`busy_timeout = ${waitMs}`)
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
