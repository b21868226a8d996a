import { setTimeout as pause } from 'node:timers/promises'
import {
  type Insertable,
  type InsertQueryBuilder,
  type InsertResult,
  MysqlAdapter,
  PostgresAdapter,
  type SelectQueryBuilder,
} from 'kysely'
import { DatabaseNotAvailable, isRetryable, isUniqueViolation } from './errors.ts'
import type { Database, Tables, Transaction } from './schema.ts'

/** Maximum number of attempts of a transaction. */
const maxAttempts = 8
const pauseMs = 10

/**
 * Runs `work` in a transaction. After a conflict, or a connection lost before the commit, the transaction is retried:
 * `work` must have no effects outside the database. It is not retried when it is unknown whether it was committed.
 */
export async function runTransaction<T>(db: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  for (let begun = 1; ; begun++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (!isRetryable(error)) throw error
      if (begun >= maxAttempts) throw new DatabaseNotAvailable(error)
      // A random delay, so that conflicting transactions do not collide again.
      await pause(pauseMs * 2 ** begun * Math.random())
    }
  }
}

/**
 * Cluster-wide mutex, released at the end of the transaction. Read what must hold (last administrator, limits) after
 * acquiring it.
 */
export async function lock(transaction: Transaction, name: string): Promise<void> {
  await nextId(transaction, name)
}

/** The next ID for a row of a table. IDs are never reused, also not after rows were deleted. */
export async function nextId(transaction: Transaction, name: string): Promise<number> {
  const raise = async () => {
    const { numUpdatedRows } = await transaction
      .updateTable('counters')
      .set((counter) => ({ value: counter('value', '+', 1) }))
      .where('name', '=', name)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }
  if (!(await raise())) {
    await insertIfAbsent(transaction, 'counters', { name, value: 0 })
    await raise()
  }
  const { value } = await transaction
    .selectFrom('counters')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return value
}

/** Inserts a row unless it exists, also concurrently; false when it exists. */
export async function insertIfAbsent<T extends keyof Tables>(
  db: Database,
  table: T,
  row: Insertable<Tables[T]>,
): Promise<boolean> {
  const inserting = insertInto(db, table, row)
  // On PostgreSQL a failed statement aborts the whole transaction.
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    const { numInsertedOrUpdatedRows } = await inserting
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows === 1n
  }
  try {
    await inserting.execute()
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

/** Inserts a row, or updates the one with the same `keys` (a primary key or unique index). */
export async function upsert<T extends keyof Tables>(
  db: Database,
  table: T,
  keys: readonly (keyof Insertable<Tables[T]> & string)[],
  row: Insertable<Tables[T]>,
): Promise<void> {
  const values = Object.entries(row).filter(([column]) => !(keys as readonly string[]).includes(column))
  const changed = Object.fromEntries(values)
  const inserting = insertInto(db, table, row)
  const isMysql = db.getExecutor().adapter instanceof MysqlAdapter
  await (isMysql
    ? inserting.onDuplicateKeyUpdate(changed)
    : inserting.onConflict((conflict) => conflict.columns([...keys] as never).doUpdateSet(changed))
  ).execute()
}

/** Executes an update or deletion, and returns whether it affected a row. */
export async function affectsRows(statement: {
  executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint } | { readonly numDeletedRows: bigint }>
}): Promise<boolean> {
  const result = await statement.executeTakeFirst()
  return ('numUpdatedRows' in result ? result.numUpdatedRows : result.numDeletedRows) > 0n
}

/** The number of rows of a query. */
export async function countRows<T extends keyof Tables, O>(query: SelectQueryBuilder<Tables, T, O>): Promise<number> {
  const counting = query.select(({ fn }) => fn.countAll<number | bigint | string>().as('count'))
  const { count } = await counting.executeTakeFirstOrThrow()
  return Number(count)
}

/** An insert whose columns the types do not know. */
type Inserting = InsertQueryBuilder<Record<string, Record<string, unknown>>, string, InsertResult>

function insertInto<T extends keyof Tables>(db: Database, table: T, row: Insertable<Tables[T]>): Inserting {
  return db.insertInto(table).values(row) as unknown as Inserting
}
