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

/** A database server that fails once at each statement with a given prefix. */
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
        throw new Error('streaming is not supported')
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
const readFailure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error)

describe('a transaction', () => {
  test.for([
    ['loses its connection at a statement', 'insert', lost],
    ['loses its connection at its start', 'begin', lost],
    ['was led to a read-only server', 'insert', { code: '25006' }],
    ['was led to a node without quorum', 'begin', cutOff],
    ['conflicts with another one', 'insert', deadlock],
    ['conflicts with a commit of another cluster node', 'commit', deadlock],
    ['times out waiting for a lock', 'insert', { code: 'ER_LOCK_WAIT_TIMEOUT' }],
  ] as const)('that %s is retried', async ([, start, failure]) => {
    const server = new Failing([[start, failure]])

    await runTransaction(server.database(), insert)

    expect(server.done.slice(-3)).toEqual(['2: begin', '2: insert', '2: commit'])
  })

  test('is retried although the rollback failed too', async () => {
    const server = new Failing([
      ['insert', lost],
      ['rollback', { message: "Can't add new command when connection is in closed state" }],
    ])

    await runTransaction(server.database(), insert)

    expect(server.done).toEqual(['1: begin', '2: begin', '2: insert', '2: commit'])
  })

  test('is not retried when it is unknown whether it was committed', async () => {
    const server = new Failing([['commit', lost]])

    const failure = await readFailure(runTransaction(server.database(), insert))

    expect(isDatabaseError(failure)).toBe(true)
    expect(server.connections).toBe(1)
  })

  test('that conflicts every time fails with a database error', async () => {
    const server = new Failing(Array.from({ length: 8 }, () => ['commit', deadlock]))

    const failure = await readFailure(runTransaction(server.database(), insert))

    expect(isDatabaseError(failure)).toBe(true)
  })
})

describe('a single statement', () => {
  test.for([
    ['is read-only', { code: '25006' }],
    ['is read-only temporarily', { code: 'ER_OPTION_PREVENTS_STATEMENT' }],
    ['has no quorum', cutOff],
  ] as const)('that was led to a server that %s is retried on another connection', async ([, failure]) => {
    const server = new Failing([['insert', failure]])

    await insert(server.database())

    expect(server.done).toEqual(['2: insert'])
  })

  test('that finds only such servers fails with DatabaseNotAvailable', async () => {
    const server = new Failing([
      ['insert', cutOff],
      ['insert', cutOff],
    ])

    expect(isDatabaseError(await readFailure(insert(server.database())))).toBe(true)
  })

  test('that reads is retried after its connection was lost', async () => {
    const server = new Failing([['select', lost]])

    await read(server.database())

    expect(server.done).toEqual(['2: select `key`'])
  })

  test('that writes is not retried: it may have been executed', async () => {
    const server = new Failing([['insert', lost]])

    const failure = await readFailure(insert(server.database()))

    expect(isDatabaseError(failure)).toBe(true)
    expect(server.done).toEqual([])
  })

  test('that conflicts every time fails with a database error', async () => {
    const server = new Failing(Array.from({ length: 4 }, () => ['insert', deadlock]))

    expect(isDatabaseError(await readFailure(insert(server.database())))).toBe(true)
  })
})
