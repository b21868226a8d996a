import { setTimeout as pause } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult, TransactionSettings } from 'kysely'
import { isLostConnection, mayBeTriedAgain, toldFailure } from './failures.ts'

const triesOfStatement = 4
const pauseMs = 20

/**
 * A database whose own failures are told as such, and that does again by itself what is safe to do again: a statement
 * on its own that was broken off for the sake of others, and a read whose connection was lost. Anything else may have
 * happened although nobody heard of it, and transactions are begun anew by who began them.
 */
export function reliable(dialect: Dialect): Dialect {
  return {
    createDriver: () => new ReliableDriver(dialect.createDriver()),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  }
}

class ReliableDriver implements Driver {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  init(): Promise<void> {
    return telling(() => this.#driver.init())
  }

  async acquireConnection(): Promise<ReliableConnection> {
    return new ReliableConnection(this.#driver, await telling(() => this.#driver.acquireConnection()))
  }

  async beginTransaction(connection: ReliableConnection, settings: TransactionSettings): Promise<void> {
    connection.isInTransaction = true
    await telling(() => this.#driver.beginTransaction(connection.real, settings))
  }

  async commitTransaction(connection: ReliableConnection): Promise<void> {
    await telling(() => this.#driver.commitTransaction(connection.real))
    connection.isInTransaction = false
  }

  async rollbackTransaction(connection: ReliableConnection): Promise<void> {
    await telling(() => this.#driver.rollbackTransaction(connection.real))
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
    return this.#driver.releaseConnection(connection.real)
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

  constructor(driver: Driver, real: DatabaseConnection) {
    this.#driver = driver
    this.#real = real
  }

  get real(): DatabaseConnection {
    return this.#real
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#real.executeQuery<R>(query)
      } catch (error) {
        if (this.isInTransaction || tried >= triesOfStatement) throw toldFailure(error)
        if (mayBeTriedAgain(error)) await pause(pauseMs * tried * Math.random())
        else if (tried === 1 && query.query.kind === 'SelectQueryNode' && isLostConnection(error)) await this.#renew()
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

  async #renew(): Promise<void> {
    const fresh = await telling(() => this.#driver.acquireConnection())
    const lost = this.#real
    this.#real = fresh
    await this.#driver.releaseConnection(lost)
  }
}

async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toldFailure(error)
  }
}
