import { setTimeout as pause } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult, TransactionSettings } from 'kysely'
import {
  DatabaseNotAvailable,
  isLostConnection,
  leadsToWrongServer,
  mayBeTriedAgain,
  toldFailure,
  toldWithin,
} from './failures.ts'

const triesOfStatement = 4
const pauseMs = 20

/**
 * A database whose own failures are told as such, and that does again by itself what is safe to do again: a statement
 * on its own that was broken off for the sake of others, one that a server refused to which the connection should not
 * lead, and a read whose connection was lost. Anything else may have happened although nobody heard of it, and
 * transactions are begun anew by who began them. Without `renews`, work stays on the connection on which it holds locks.
 */
export function reliable(dialect: Dialect, { renews = true } = {}): Dialect {
  return {
    createDriver: () => new ReliableDriver(dialect.createDriver(), renews),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  }
}

class ReliableDriver implements Driver {
  readonly #driver: Driver
  readonly #renews: boolean

  constructor(driver: Driver, renews: boolean) {
    this.#driver = driver
    this.#renews = renews
  }

  init(): Promise<void> {
    return telling(() => this.#driver.init())
  }

  async acquireConnection(): Promise<ReliableConnection> {
    const real = await telling(() => this.#driver.acquireConnection())
    return new ReliableConnection(this.#driver, real, this.#renews)
  }

  async beginTransaction(connection: ReliableConnection, settings: TransactionSettings): Promise<void> {
    connection.isInTransaction = true
    await telling(() => this.#driver.beginTransaction(connection.real, settings), toldWithin)
  }

  async commitTransaction(connection: ReliableConnection): Promise<void> {
    await telling(() => this.#driver.commitTransaction(connection.real))
    connection.isInTransaction = false
  }

  async rollbackTransaction(connection: ReliableConnection): Promise<void> {
    try {
      await telling(() => this.#driver.rollbackTransaction(connection.real), toldWithin)
    } catch (error) {
      // A connection that is lost took its transaction with it, and what failed before says more.
      if (!mayBeTriedAgain(error)) throw error
    }
    connection.isInTransaction = false
  }

  async savepoint(connection: ReliableConnection, name: string, compile: Compile): Promise<void> {
    await telling(async () => this.#driver.savepoint?.(connection.real, name, compile))
  }

  async rollbackToSavepoint(connection: ReliableConnection, name: string, compile: Compile): Promise<void> {
    await telling(async () => this.#driver.rollbackToSavepoint?.(connection.real, name, compile))
  }

  async releaseSavepoint(connection: ReliableConnection, name: string, compile: Compile): Promise<void> {
    await telling(async () => this.#driver.releaseSavepoint?.(connection.real, name, compile))
  }

  releaseConnection(connection: ReliableConnection): Promise<void> {
    return connection.release()
  }

  destroy(): Promise<void> {
    return this.#driver.destroy()
  }
}

type Compile = Parameters<NonNullable<Driver['savepoint']>>[2]

class ReliableConnection implements DatabaseConnection {
  isInTransaction = false
  readonly #driver: Driver
  #real: DatabaseConnection
  readonly #renews: boolean
  #isHeld = true

  constructor(driver: Driver, real: DatabaseConnection, renews: boolean) {
    this.#driver = driver
    this.#real = real
    this.#renews = renews
  }

  get real(): DatabaseConnection {
    return this.#real
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#real.executeQuery<R>(query)
      } catch (error) {
        if (this.isInTransaction) throw toldWithin(error)
        if (mayBeTriedAgain(error)) {
          if (tried >= triesOfStatement) throw new DatabaseNotAvailable(error)
          await pause(pauseMs * tried * Math.random())
        } else if (tried === 1 && this.#renews && isForAnotherConnection(query, error)) await this.#renew()
        else throw toldFailure(error)
      }
    }
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    try {
      yield* this.#real.streamQuery<R>(query, chunkSize)
    } catch (error) {
      throw toldFailure(error)
    }
  }

  async release(): Promise<void> {
    if (!this.#isHeld) return
    this.#isHeld = false
    await this.#driver.releaseConnection(this.#real)
  }

  async #renew(): Promise<void> {
    await this.release()
    this.#real = await telling(() => this.#driver.acquireConnection())
    this.#isHeld = true
  }
}

/** Whether a statement on its own can be done elsewhere: nothing was done, or nothing would be changed by it. */
function isForAnotherConnection(query: CompiledQuery, error: unknown): boolean {
  return leadsToWrongServer(error) || (query.query.kind === 'SelectQueryNode' && isLostConnection(error))
}

async function telling<T>(work: () => Promise<T>, told = toldFailure): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw told(error)
  }
}
