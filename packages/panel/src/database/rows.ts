import { setTimeout as pause } from 'node:timers/promises'
import { type Insertable, type InsertQueryBuilder, type InsertResult, MysqlAdapter, PostgresAdapter } from 'kysely'
import { DatabaseNotAvailable, isRetryable, isUniqueViolation } from './errors.ts'
import type { Database, Tables, Transaction } from './schema.ts'

/** How often work is begun anew that the database broke off for the sake of other work. */
const maxAttempts = 8
const pauseMs = 10

/**
 * Runs work whole or not at all. Work that the database gave up because it crossed other work, or whose connection was
 * lost before the end, is begun anew: it must have no effect but on the database. When nobody can say whether it was
 * done (the connection was lost at the end), it is not.
 */
export async function runTransaction<T>(db: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  for (let begun = 1; ; begun++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (!isRetryable(error)) throw error
      if (begun >= maxAttempts) throw new DatabaseNotAvailable(error)
      // Those who crossed each other do not begin at the same moment again.
      await pause(pauseMs * 2 ** begun * Math.random())
    }
  }
}

/**
 * Until the transaction ends, no other passes here with the same name, on whatever panel. What is read afterwards is
 * what the one before left: ask for what must hold (the last administrator, a limit) after this.
 */
export async function lock(transaction: Transaction, name: string): Promise<void> {
  await nextId(transaction, name)
}

/** The next number for a row of a table. Never given twice, also not after rows were deleted. */
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

/** Inserts a row that another may have inserted at the same moment; false when there is one like it already. */
export async function insertIfAbsent<T extends keyof Tables>(
  db: Database,
  table: T,
  row: Insertable<Tables[T]>,
): Promise<boolean> {
  const inserting = insertInto(db, table, row)
  // A failed statement spoils the whole transaction on PostgreSQL, and only there.
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

/** Inserts a row, or brings the one with the same `keys` (a primary key or unique index) to its values. */
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

/** An insert of which the types know no more than that there are columns. */
type Inserting = InsertQueryBuilder<Record<string, Record<string, unknown>>, string, InsertResult>

function insertInto<T extends keyof Tables>(db: Database, table: T, row: Insertable<Tables[T]>): Inserting {
  return db.insertInto(table).values(row) as unknown as Inserting
}
