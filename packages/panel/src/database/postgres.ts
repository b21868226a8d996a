import {
  type Dialect,
  type Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely'
import { type ClientBase, Pool, types } from 'pg'
import { connectTimeoutMs, idleTimeoutMs, maxConnections, statementTimeoutMs } from './connection-limits.ts'
import { isConnectionUnusable } from './errors.ts'

/** `int8` and `numeric` as numbers, like counts, sums and times in the other databases. */
const numbers = [types.builtins.INT8, types.builtins.NUMERIC] as const

/** A PostgreSQL server. `noTimeouts` is for migrations, whose statements may take long. */
export function postgres(url: string, { noTimeouts = false } = {}): Dialect {
  const pool = new Pool({
    connectionString: url,
    application_name: 'innkeeper',
    max: noTimeouts ? 1 : maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    ...(noTimeouts ? {} : { query_timeout: statementTimeoutMs }),
    verify(client, done) {
      void prepareConnection(client, noTimeouts ? 0 : statementTimeoutMs).then(() => done(), done)
    },
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        numbers.some((number) => number === type) ? Number : types.getTypeParser(type, format as 'text'),
    },
  })
  // The pool removes a connection that ends, and a statement on it fails. Without a listener the error would end the
  // process.
  const destroyConnection = () => {}
  pool.on('error', destroyConnection)
  pool.on('connect', (client) => client.on('error', destroyConnection))
  return new ServerDialect({ pool: discarding(pool) })
}

class ServerDialect extends PostgresDialect {
  override createAdapter() {
    return new LockInTransactionAdapter()
  }
}

/**
 * The lock of migrations, and that their statements may take long, last as long as their transaction, so that both hold
 * behind PgBouncer as well.
 */
class LockInTransactionAdapter extends PostgresAdapter {
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`set local statement_timeout = 0`.execute(db)
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLockKey)})`.execute(db)
  }

  override async releaseMigrationLock(): Promise<void> {}
}

/** That of Kysely, which earlier versions lock. */
const migrationLockKey = 3853314791062309107n

/**
 * Limits the time of statements (0: no limit) on a new connection. PgBouncer refuses this setting when a connection is
 * opened. A load balancer may lead to a read-only replica, which has outdated data and cannot write: then it throws, and
 * the next connection may lead to the primary.
 */
async function prepareConnection(client: ClientBase, timeoutMs: number): Promise<void> {
  const { rows } = await client.query<{ follows: boolean }>(
    "select pg_is_in_recovery() as follows, set_config('statement_timeout', $1, false)",
    [String(timeoutMs)],
  )
  if (!rows[0]?.follows) return
  throw Object.assign(new Error('This PostgreSQL server is a read-only replica.'), { code: '25006' })
}

/** An unusable connection is not returned to the pool. */
function discarding(pool: Pool): PostgresPool {
  async function connect(): Promise<PostgresPoolClient> {
    const client = await pool.connect()
    let isSpoiled = false
    const query = async (text: string, values: unknown[]) => {
      try {
        return await client.query(text, values)
      } catch (error) {
        isSpoiled ||= isConnectionUnusable(error)
        // The error contains the row with all values, which must not be logged.
        if (error instanceof Error) Reflect.deleteProperty(error, 'detail')
        throw error
      }
    }
    return {
      // Kysely only uses this signature.
      query: query as unknown as PostgresPoolClient['query'],
      release: (destroy = false) => client.release(destroy || isSpoiled),
    }
  }
  return { connect, end: () => pool.end(), options: pool.options }
}
