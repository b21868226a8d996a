import { setTimeout as pause } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult, TransactionSettings } from 'kysely'
import {
  DatabaseNotAvailable,
  isLostConnection,
  isReadOnlyServer,
  isRetryable,
  normalizeError,
  normalizeTransactionError,
} from './errors.ts'

const maxAttempts = 4
const pauseMs = 20

/**
 * A Kysely dialect that normalizes database errors and retries what is safe to retry: a single statement that was
 * rolled back because of a conflict, one that a read-only server rejected, and a read whose connection was lost.
 * Anything else may have been executed. Transactions are retried by their callers. Without `reconnects`, work stays on
 * its connection, which holds locks.
 */
export function withRetries(dialect: Dialect, { reconnects = true } = {}): Dialect {
  return {
    createDriver: () => new RetryingDriver(dialect.createDriver(), reconnects),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  }
}

class RetryingDriver implements Driver {
  readonly #driver: Driver
  readonly #reconnects: boolean

  constructor(driver: Driver, reconnects: boolean) {
    this.#driver = driver
    this.#reconnects = reconnects
  }

  init(): Promise<void> {
    return mapErrors(() => this.#driver.init())
  }

  async acquireConnection(): Promise<RetryingConnection> {
    const real = await mapErrors(() => this.#driver.acquireConnection())
    return new RetryingConnection(this.#driver, real, this.#reconnects)
  }

  async beginTransaction(connection: RetryingConnection, settings: TransactionSettings): Promise<void> {
    connection.isInTransaction = true
    await mapErrors(() => this.#driver.beginTransaction(connection.real, settings), normalizeTransactionError)
  }

  async commitTransaction(connection: RetryingConnection): Promise<void> {
    await mapErrors(() => this.#driver.commitTransaction(connection.real))
    connection.isInTransaction = false
  }

  async rollbackTransaction(connection: RetryingConnection): Promise<void> {
    try {
      await mapErrors(() => this.#driver.rollbackTransaction(connection.real), normalizeTransactionError)
    } catch (error) {
      // A lost connection has rolled back its transaction, and the earlier error says more.
      if (!isRetryable(error)) throw error
    }
    connection.isInTransaction = false
  }

  async savepoint(connection: RetryingConnection, name: string, compile: Compile): Promise<void> {
    await mapErrors(async () => this.#driver.savepoint?.(connection.real, name, compile))
  }

  async rollbackToSavepoint(connection: RetryingConnection, name: string, compile: Compile): Promise<void> {
    await mapErrors(async () => this.#driver.rollbackToSavepoint?.(connection.real, name, compile))
  }

  async releaseSavepoint(connection: RetryingConnection, name: string, compile: Compile): Promise<void> {
    await mapErrors(async () => this.#driver.releaseSavepoint?.(connection.real, name, compile))
  }

  releaseConnection(connection: RetryingConnection): Promise<void> {
    return connection.release()
  }

  destroy(): Promise<void> {
    return this.#driver.destroy()
  }
}

type Compile = Parameters<NonNullable<Driver['savepoint']>>[2]

class RetryingConnection implements DatabaseConnection {
  isInTransaction = false
  readonly #driver: Driver
  #real: DatabaseConnection
  readonly #reconnects: boolean
  #isHeld = true

  constructor(driver: Driver, real: DatabaseConnection, reconnects: boolean) {
    this.#driver = driver
    this.#real = real
    this.#reconnects = reconnects
  }

  get real(): DatabaseConnection {
    return this.#real
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#real.executeQuery<R>(query)
      } catch (error) {
        if (this.isInTransaction) throw normalizeTransactionError(error)
        if (isRetryable(error)) {
          if (tried >= maxAttempts) throw new DatabaseNotAvailable(error)
          await pause(pauseMs * tried * Math.random())
        } else if (tried === 1 && this.#reconnects && shouldReconnect(query, error)) await this.#reconnect()
        else throw normalizeError(error)
      }
    }
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    try {
      yield* this.#real.streamQuery<R>(query, chunkSize)
    } catch (error) {
      throw normalizeError(error)
    }
  }

  async release(): Promise<void> {
    if (!this.#isHeld) return
    this.#isHeld = false
    await this.#driver.releaseConnection(this.#real)
  }

  async #reconnect(): Promise<void> {
    await this.release()
    this.#real = await mapErrors(() => this.#driver.acquireConnection())
    this.#isHeld = true
  }
}

/** Whether a single statement can be retried on another connection: it was not executed, or it only reads. */
function shouldReconnect(query: CompiledQuery, error: unknown): boolean {
  return isReadOnlyServer(error) || (query.query.kind === 'SelectQueryNode' && isLostConnection(error))
}

async function mapErrors<T>(work: () => Promise<T>, mapError = normalizeError): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw mapError(error)
  }
}
