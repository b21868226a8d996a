import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  type QueryResult,
} from 'kysely'
import { describe, expect, test } from 'vitest'
import { isDatabaseError } from './errors.ts'
import { withRetries } from './retrying-dialect.ts'
import { runTransaction } from './rows.ts'
import type { Database, Tables } from './schema.ts'

const lost = { code: 'ECONNRESET' }
const deadlock = { code: 'ER_LOCK_DEADLOCK' }
const cutOff = { code: 'ER_UNKNOWN_COM_ERROR', message: 'WSREP has not yet prepared node for application use' }

/** A database server that fails at the statements whose beginning is given, one time each, and does all others. */
class Failing implements Driver {
  readonly done: string[] = []
  connections = 0
  readonly #failures: [start: string, failure: object][]

  constructor(failures: [start: string, failure: object][]) {
    this.#failures = failures
  }

  database(): Database {
    const dialect = {
      createDriver: () => this,
      createQueryCompiler: () => new MysqlQueryCompiler(),
      createAdapter: () => new MysqlAdapter(),
      createIntrospector: (db: Kysely<unknown>) => new MysqlIntrospector(db),
    }
    return new Kysely<Tables>({ dialect: withRetries(dialect) })
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const name = ++this.connections
    return {
      executeQuery: async <R>({ sql }: CompiledQuery): Promise<QueryResult<R>> => {
        this.#run(`${name}: ${sql}`)
        return { rows: [], numAffectedRows: 1n }
      },
      // biome-ignore lint/correctness/useYield: nobody streams
      async *streamQuery() {
        throw new Error('nobody streams')
      },
    }
  }

  async beginTransaction(): Promise<void> {
    this.#run(`${this.connections}: begin`)
  }

  async commitTransaction(): Promise<void> {
    this.#run(`${this.connections}: commit`)
  }

  async rollbackTransaction(): Promise<void> {
    this.#run(`${this.connections}: rollback`)
  }

  async init(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}

  #run(statement: string): void {
    const [next] = this.#failures
    const words = statement.replace(/^\d+: /, '')
    if (next && words.startsWith(next[0])) {
      this.#failures.shift()
      throw Object.assign(new Error('message' in next[1] ? String(next[1].message) : 'failed'), next[1])
    }
    this.done.push(statement.replace(/ (from|into) .*/, ''))
  }
}

const insert = (db: Database) => db.insertInto('settings').values({ key: 'a', value: 'b' }).execute()
const read = (db: Database) => db.selectFrom('settings').select('key').execute()
const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error)

describe('work within a transaction', () => {
  test.for([
    ['loses its connection at a statement', 'insert', lost],
    ['loses its connection at its beginning', 'begin', lost],
    ['was led to a server that only reads', 'insert', { code: '25006' }],
    ['was led to a node that is cut off from its cluster', 'begin', cutOff],
    ['crosses other work', 'insert', deadlock],
    ['crosses what another node of the cluster has committed', 'commit', deadlock],
    ['waits too long for the locks of others', 'insert', { code: 'ER_LOCK_WAIT_TIMEOUT' }],
  ] as const)('that %s is begun anew', async ([, start, failure]) => {
    const server = new Failing([[start, failure]])

    await runTransaction(server.database(), insert)

    expect(server.done.slice(-3)).toEqual(['2: begin', '2: insert', '2: commit'])
  })

  test('is begun anew although not even the rollback got through', async () => {
    const server = new Failing([
      ['insert', lost],
      ['rollback', { message: "Can't add new command when connection is in closed state" }],
    ])

    await runTransaction(server.database(), insert)

    expect(server.done).toEqual(['1: begin', '2: begin', '2: insert', '2: commit'])
  })

  test('is not repeated when nobody can say whether it was committed', async () => {
    const server = new Failing([['commit', lost]])

    const failure = await failureOf(runTransaction(server.database(), insert))

    expect(isDatabaseError(failure)).toBe(true)
    expect(server.connections).toBe(1)
  })

  test('that is broken off every time ends as a failure of the database', async () => {
    const server = new Failing(Array.from({ length: 8 }, () => ['commit', deadlock]))

    const failure = await failureOf(runTransaction(server.database(), insert))

    expect(isDatabaseError(failure)).toBe(true)
  })
})

describe('a statement on its own', () => {
  test.for([
    ['only reads', { code: '25006' }],
    ['only reads for now', { code: 'ER_OPTION_PREVENTS_STATEMENT' }],
    ['is cut off from its cluster', cutOff],
  ] as const)('that was led to a server that %s is done on another connection', async ([, failure]) => {
    const server = new Failing([['insert', failure]])

    await insert(server.database())

    expect(server.done).toEqual(['2: insert'])
  })

  test('that finds only such servers says that the database is not available', async () => {
    const server = new Failing([
      ['insert', cutOff],
      ['insert', cutOff],
    ])

    expect(isDatabaseError(await failureOf(insert(server.database())))).toBe(true)
  })

  test('that reads is asked again when its connection was lost', async () => {
    const server = new Failing([['select', lost]])

    await read(server.database())

    expect(server.done).toEqual(['2: select `key`'])
  })

  test('that writes is not: it may have been done', async () => {
    const server = new Failing([['insert', lost]])

    const failure = await failureOf(insert(server.database()))

    expect(isDatabaseError(failure)).toBe(true)
    expect(server.done).toEqual([])
  })

  test('that crosses other work every time ends as a failure of the database', async () => {
    const server = new Failing(Array.from({ length: 4 }, () => ['insert', deadlock]))

    expect(isDatabaseError(await failureOf(insert(server.database())))).toBe(true)
  })
})
