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

/**
 * How long a statement waits while another program writes. Unlike the driver's own wait, this does not block the event
 * loop.
 */
const busyMs = 2_000
const migrationWaitMs = 120_000
const retryMs = 20
const maxCachedStatements = 200

/**
 * A SQLite database in a file, or in memory for `:memory:`. Several processes may open the file. `noTimeouts` is for
 * migrations, which wait longer for each other.
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

/**
 * Begins transactions as IMMEDIATE: one that reads first and writes later would fail when another program wrote in
 * between.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #waitMs: number
  #waiting: BusyRetryConnection | undefined

  constructor(config: SqliteDialectConfig, waitMs: number) {
    super(config)
    this.#waitMs = waitMs
  }

  /** There is a single connection. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#waiting ??= new BusyRetryConnection(await super.acquireConnection(), this.#waitMs)
    return this.#waiting
  }

  override async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/**
 * Retries while another program writes, without blocking the event loop. When several statements wait for the same
 * lock, only the first waits for the whole time; the others fail together with it.
 */
class BusyRetryConnection implements DatabaseConnection {
  readonly #real: DatabaseConnection
  readonly #waitMs: number
  /** When writing became impossible, and when that was last seen. */
  #lock: { readonly since: number; readonly lastUsedAt: number } | undefined

  constructor(real: DatabaseConnection, waitMs: number) {
    this.#real = real
    this.#waitMs = waitMs
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (;;) {
      try {
        const result = await this.#real.executeQuery<R>(query)
        // Reads work while another program writes.
        if (query.query.kind !== 'SelectQueryNode') this.#lock = undefined
        return result
      } catch (error) {
        if (!isBusy(error) || this.#heldFor() >= this.#waitMs) throw error
      }
      await pause(retryMs)
    }
  }

  #heldFor(): number {
    const seen = performance.now()
    const before = this.#lock
    const since = before && seen - before.lastUsedAt < this.#waitMs ? before.since : seen
    this.#lock = { since, lastUsedAt: seen }
    return seen - since
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#real.streamQuery<R>(query, chunkSize)
  }
}

/**
 * Whether another program has locked the file. An outdated snapshot is no reason to wait, because it stays outdated.
 */
function isBusy(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY') && code !== 'SQLITE_BUSY_SNAPSHOT'
}

/** SQLite's schema changes are transactional. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

function openSqlite(path: string, waitMs: number): Sqlite.Database {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // The file contains password hashes and the signing key, so only the owner may read it. SQLite gives the same mode
    // to the files beside it.
    closeSync(openSync(path, 'a', 0o600))
  }
  const file = new Sqlite(path)
  file.pragma(`busy_timeout = ${waitMs}`)
  file.pragma('journal_mode = WAL')
  file.pragma('synchronous = FULL')
  file.pragma('foreign_keys = ON')
  // From here `BusyRetryConnection` waits; the driver's wait would block the event loop.
  file.pragma('busy_timeout = 0')
  return file
}

/**
 * Caches prepared statements. Preparing takes longer than running a small statement, and unused ones hold memory that
 * the garbage collector does not see.
 */
/** SQLite alone accepts an empty list: the same statement fails on servers. */
function requireNoEmptyList(text: string): string {
  if (/ in \(\)/i.test(text)) throw new Error(`The statement has an empty list: ${text}`)
  return text
}

function cacheStatements(file: Sqlite.Database): SqliteDatabase {
  const cached = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    prepare(text) {
      const statement = cached.get(text) ?? file.prepare(requireNoEmptyList(text))
      // The map is in order of use; the first one is the least recently used.
      cached.delete(text)
      cached.set(text, statement)
      if (cached.size > maxCachedStatements) cached.delete(cached.keys().next().value ?? '')
      return statement
    },
    close: () => file.close(),
  }
}
