import { limits } from '@innkeeper/contract/limits'
import {
  type Dialect,
  Kysely,
  MysqlDialect,
  type MysqlPool,
  type MysqlPoolConnection,
  type MysqlQueryResult,
} from 'kysely'
import { createPool, type Pool, type PoolConnection } from 'mysql2'
import { isConnectionUnusable } from './errors.ts'
import { lockedMigrations } from './migration-lock.ts'
import { withRetries } from './retrying-dialect.ts'

/**
 * The same everywhere, whatever the server's own settings are: each statement sees what was committed before it, values
 * that do not fit are refused, and backslashes mean what the client thinks that they mean.
 */
const session = [
  'set session transaction isolation level read committed',
  "set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
  // In a cluster each statement waits until its node has all that was committed on any node before. Servers that cannot
  // be in one do not know this; elsewhere it means nothing.
  'set session wsrep_sync_wait = 7',
]

/** A MySQL or MariaDB server. `noTimeouts` is for migrations: its statements may take as long as they need. */
export function mysql(url: string, { noTimeouts = false } = {}): Dialect {
  const pool = createPool({
    uri: url,
    charset: 'utf8mb4_bin',
    connectionLimit: noTimeouts ? 1 : limits.databaseConnections,
    maxIdle: noTimeouts ? 1 : limits.databaseConnections,
    idleTimeout: limits.databaseIdleMs,
    connectTimeout: limits.databaseConnectMs,
    enableKeepAlive: true,
    decimalNumbers: true,
  })
  pool.on('connection', (connection) => {
    // The pool lets go of a connection that ends; whoever uses one learns it from the statement that fails. Nobody is
    // told here, but without a listener the process would end.
    connection.on('error', () => {})
    for (const statement of session) {
      connection.query(statement, (error) => {
        if (error && error.code !== 'ER_UNKNOWN_SYSTEM_VARIABLE') connection.destroy()
      })
    }
  })
  const dialect = new MysqlDialect({
    pool: withConnectTimeout(pool, noTimeouts ? undefined : limits.databaseStatementMs),
  })
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => lockedMigrations(() => new Kysely({ dialect: withRetries(mysql(url, { noTimeouts: true })) })),
    createIntrospector: (db) => dialect.createIntrospector(db),
  }
}

/** The driver waits for a connection, and for an answer, as long as it takes: here both have an end. */
function withConnectTimeout(pool: Pool, statementMs: number | undefined): MysqlPool {
  return {
    getConnection(callback) {
      const isTooLate = AbortSignal.timeout(limits.databaseConnectMs)
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

/** A connection of which nothing more can be expected does not go back to the others. */
function withQueryTimeout(connection: PoolConnection, timeout: number | undefined): MysqlPoolConnection {
  let isSpoiled = false
  const query = (sql: string, values: unknown[], told: (error: unknown, result: MysqlQueryResult) => void) =>
    connection.query({ sql, ...(timeout === undefined ? {} : { timeout }) }, values, (error, result) => {
      isSpoiled ||= isConnectionUnusable(error)
      // The statement with every value in it is for no log.
      if (error) Reflect.deleteProperty(error, 'sql')
      told(error, result as MysqlQueryResult)
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
