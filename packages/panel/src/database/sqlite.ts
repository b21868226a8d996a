import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely'

/** How long a statement waits while another program writes. Nobody else waits for that, as it would in the library. */
const busyMs = 2_000
const migrationWaitMs = 120_000
const retryMs = 20
const maxCachedStatements = 200

/**
 * The database in a file, or in memory for `:memory:`. Other programs of ours may have it open at the same time.
 * `noTimeouts` is for migrations: it waits for another's as long as that may take.
 */
export function sqlite(path: string, { noTimeouts = false } = {}): Dialect {
  const waitMs = noTimeouts ? migrationWaitMs : busyMs
  return new EmbeddedDialect({ database: cacheStatements(openSqlite(path, waitMs)) }, waitMs)
}

class EmbeddedDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig
  readonly #waitMs: number

  constructor(config: SqliteDialectConfig, waitMs: number) {
    super(config)
    this.#config = config
    this.#waitMs = waitMs
  }

  override createDriver() {
    return new ImmediateDriver(this.#config, this.#waitMs)
  }

  override createAdapter() {
    return new TransactionalAdapter()
  }
}

/** A transaction that reads first and writes later would fail, not wait, when another program wrote in between. */
class ImmediateDriver extends SqliteDriver {
  readonly #waitMs: number
  #waiting: BusyRetryConnection | undefined

  constructor(config: SqliteDialectConfig, waitMs: number) {
    super(config)
    this.#waitMs = waitMs
  }

  /** There is only one. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#waiting ??= new BusyRetryConnection(await super.acquireConnection(), this.#waitMs)
    return this.#waiting
  }

  override async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/**
 * Asks again and again while another program writes; everything else goes on meanwhile. Of many that wait one after the
 * other for the same program, only the first waits all of the time: the others are told at once.
 */
class BusyRetryConnection implements DatabaseConnection {
  readonly #real: DatabaseConnection
  readonly #waitMs: number
  /** Since when nothing could be written, and when that was seen last. */
  #held: { readonly since: number; readonly seen: number } | undefined

  constructor(real: DatabaseConnection, waitMs: number) {
    this.#real = real
    this.#waitMs = waitMs
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (;;) {
      try {
        const result = await this.#real.executeQuery<R>(query)
        // Reading goes on while another program writes.
        if (query.query.kind !== 'SelectQueryNode') this.#held = undefined
        return result
      } catch (error) {
        if (!isBusy(error) || this.#heldFor() >= this.#waitMs) throw error
      }
      await pause(retryMs)
    }
  }

  #heldFor(): number {
    const seen = performance.now()
    const before = this.#held
    const since = before && seen - before.seen < this.#waitMs ? before.since : seen
    this.#held = { since, seen }
    return seen - since
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#real.streamQuery<R>(query, chunkSize)
  }
}

/** Whether another program holds the file. What was read before it wrote is no reason to wait: it stays outdated. */
function isBusy(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY') && code !== 'SQLITE_BUSY_SNAPSHOT'
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
  // From now on we wait ourselves: the library does so without letting anything else happen in the program.
  file.pragma('busy_timeout = 0')
  return file
}

/**
 * Prepares each statement once. Preparing costs more than running a small one, and statements that are left behind hold
 * memory that the collector does not see.
 */
function cacheStatements(file: Sqlite.Database): SqliteDatabase {
  const cached = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    prepare(text) {
      const statement = cached.get(text) ?? file.prepare(text)
      // The one used last stands last; the first is the one to forget.
      cached.delete(text)
      cached.set(text, statement)
      if (cached.size > maxCachedStatements) cached.delete(cached.keys().next().value ?? '')
      return statement
    },
    close: () => file.close(),
  }
}
