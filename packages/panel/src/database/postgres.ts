import { limits } from '@innkeeper/contract/limits'
import { type Dialect, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { type ClientBase, Pool, types } from 'pg'
import { isConnectionUnusable } from './errors.ts'

/** `int8` and `numeric`: counts, sums and times come as numbers, as from the other databases. */
const numbers = [types.builtins.INT8, types.builtins.NUMERIC] as const

/** A PostgreSQL server. `noTimeouts` is for migrations: its statements may take as long as they need. */
export function postgres(url: string, { noTimeouts = false } = {}): Dialect {
  const pool = new Pool({
    connectionString: url,
    application_name: 'innkeeper',
    max: noTimeouts ? 1 : limits.databaseConnections,
    connectionTimeoutMillis: limits.databaseConnectMs,
    idleTimeoutMillis: limits.databaseIdleMs,
    keepAlive: true,
    ...(noTimeouts ? {} : { query_timeout: limits.databaseStatementMs, statement_timeout: limits.databaseStatementMs }),
    verify(client, done) {
      void requireWritable(client).then(() => done(), done)
    },
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        numbers.some((number) => number === type) ? Number : types.getTypeParser(type, format as 'text'),
    },
  })
  // The pool lets go of a connection that ends; whoever uses one learns it from the statement that fails. Nobody is told
  // here, but without a listener the process would end.
  const destroyConnection = () => {}
  pool.on('error', destroyConnection)
  pool.on('connect', (client) => client.on('error', destroyConnection))
  return new PostgresDialect({ pool: discarding(pool) })
}

/**
 * What stands between may lead to a server that only follows another. It would answer with what was, and could not write;
 * who connects again may be led to the right one.
 */
async function requireWritable(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ follows: boolean }>('select pg_is_in_recovery() as follows')
  if (!rows[0]?.follows) return
  throw Object.assign(new Error('This PostgreSQL server follows another one and only reads.'), { code: '25006' })
}

/** A connection of which nothing more can be expected does not go back to the others. */
function discarding(pool: Pool): PostgresPool {
  async function connect(): Promise<PostgresPoolClient> {
    const client = await pool.connect()
    let isSpoiled = false
    const query = async (text: string, values: unknown[]) => {
      try {
        return await client.query(text, values)
      } catch (error) {
        isSpoiled ||= isConnectionUnusable(error)
        // The row with every value in it is for no log.
        if (error instanceof Error) Reflect.deleteProperty(error, 'detail')
        throw error
      }
    }
    return {
      // The query builder asks in this form alone.
      query: query as unknown as PostgresPoolClient['query'],
      release: (destroy = false) => client.release(destroy || isSpoiled),
    }
  }
  return { connect, end: () => pool.end(), options: pool.options }
}
