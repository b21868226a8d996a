import { limits } from '@innkeeper/contract/limits'
import { type Dialect, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { Pool, types } from 'pg'

/** `int8` and `numeric`: counts, sums and times come as numbers, as from the other databases. */
const numbers = [types.builtins.INT8, types.builtins.NUMERIC] as const

/** A PostgreSQL server. `patient` is for migrations: its statements may take as long as they need. */
export function postgres(url: string, { patient = false } = {}): Dialect {
  const pool = new Pool({
    connectionString: url,
    application_name: 'innkeeper',
    max: patient ? 1 : limits.databaseConnections,
    connectionTimeoutMillis: limits.databaseConnectMs,
    idleTimeoutMillis: limits.databaseIdleMs,
    keepAlive: true,
    ...(patient ? {} : { query_timeout: limits.databaseStatementMs, statement_timeout: limits.databaseStatementMs }),
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        numbers.some((number) => number === type) ? Number : types.getTypeParser(type, format as 'text'),
    },
  })
  // The pool lets go of a connection that ends; whoever uses one learns it from the statement that fails. Nobody is told
  // here, but without a listener the process would end.
  const letGo = () => {}
  pool.on('error', letGo)
  pool.on('connect', (client) => client.on('error', letGo))
  return new PostgresDialect({ pool: discarding(pool) })
}

/** A connection that did not answer in time is still busy with the question: it does not go back to the others. */
function discarding(pool: Pool): PostgresPool {
  async function connect(): Promise<PostgresPoolClient> {
    const client = await pool.connect()
    let isStuck = false
    const query = async (text: string, values: unknown[]) => {
      try {
        return await client.query(text, values)
      } catch (error) {
        isStuck ||= error instanceof Error && error.message === 'Query read timeout'
        // The row with every value in it is for no log.
        if (error instanceof Error) Reflect.deleteProperty(error, 'detail')
        throw error
      }
    }
    return {
      // The query builder asks in this form alone.
      query: query as unknown as PostgresPoolClient['query'],
      release: (destroy = false) => client.release(destroy || isStuck),
    }
  }
  return { connect, end: () => pool.end(), options: pool.options }
}
