import {
  type Dialect,
  Kysely,
  MysqlDialect,
  type MysqlPool,
  type MysqlPoolConnection,
  type MysqlQueryResult,
} from 'kysely'
import { createPool, type Pool, type PoolConnection } from 'mysql2'
import { connectTimeoutMs, idleTimeoutMs, maxConnections, statementTimeoutMs } from './connection-limits.ts'
import { isConnectionUnusable } from './errors.ts'
import { lockedMigrations } from './migration-lock.ts'
import { withRetries } from './retrying-dialect.ts'

/**
 * Session settings that do not depend on the server's configuration: READ COMMITTED isolation, strict mode, and
 * standard backslash escapes.
 */
const session = [
  'set session transaction isolation level read committed',
  "set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
  // In a Galera cluster each statement waits until its node has applied all commits of the cluster. Servers without
  // Galera do not know this variable.
  'set session wsrep_sync_wait = 7',
]

/** A MySQL or MariaDB server. `noTimeouts` is for migrations, whose statements may take long. */
export function mysql(url: string, { noTimeouts = false } = {}): Dialect {
  const pool = createPool({
    uri: url,
    charset: 'utf8mb4_bin',
    connectionLimit: noTimeouts ? 1 : maxConnections,
    maxIdle: noTimeouts ? 1 : maxConnections,
    idleTimeout: idleTimeoutMs,
    connectTimeout: connectTimeoutMs,
    enableKeepAlive: true,
    decimalNumbers: true,
  })
  pool.on('connection', (connection) => {
    // The pool removes a connection that ends, and a statement on it fails. Without a listener the error would end the
    // process.
    connection.on('error', () => {})
    for (const statement of session) {
      connection.query(statement, (error) => {
        if (error && error.code !== 'ER_UNKNOWN_SYSTEM_VARIABLE') connection.destroy()
      })
    }
  })
  const dialect = new MysqlDialect({
    pool: withConnectTimeout(pool, noTimeouts ? undefined : statementTimeoutMs),
  })
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => lockedMigrations(() => new Kysely({ dialect: withRetries(mysql(url, { noTimeouts: true })) })),
    createIntrospector: (db) => dialect.createIntrospector(db),
  }
}

/** The driver has no timeouts for connecting and queries; this adds them. */
function withConnectTimeout(pool: Pool, statementMs: number | undefined): MysqlPool {
  return {
    getConnection(callback) {
      const isTooLate = AbortSignal.timeout(connectTimeoutMs)
      const giveUp = () => callback(new Error('timeout exceeded when trying to connect'), undefined as never)
      isTooLate.addEventListener('abort', giveUp, { once: true })
      pool.getConnection((error, connection) => {
        if (isTooLate.aborted) return connection?.release()
        isTooLate.removeEventListener('abort', giveUp)
        if (error) callback(error, undefined as never)
        else callback(undefined, withQueryTimeout(connection, statementMs))
      })
    },
    end: (callback) => pool.end((error) => callback(error ?? undefined)),
  }
}

/** An unusable connection is not returned to the pool. */
function withQueryTimeout(connection: PoolConnection, timeout: number | undefined): MysqlPoolConnection {
  let isSpoiled = false
  const query = (sql: string, values: unknown[], callback: (error: unknown, result: MysqlQueryResult) => void) =>
    connection.query({ sql, ...(timeout === undefined ? {} : { timeout }) }, values, (error, result) => {
      isSpoiled ||= isConnectionUnusable(error)
      // The error contains the statement with all values, which must not be logged.
      if (error) Reflect.deleteProperty(error, 'sql')
      callback(error, result as MysqlQueryResult)
    })
  return {
    config: connection.config,
    threadId: connection.threadId,
    connect: (callback) => connection.connect(callback),
    destroy: () => connection.destroy(),
    query: query as MysqlPoolConnection['query'],
    release: () => (isSpoiled ? connection.destroy() : connection.release()),
  }
}
