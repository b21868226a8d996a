import { isDuplicate } from './failures.ts'
import type { Transaction } from './schema.ts'

/** The next number for a row of a table. Never given twice, also not after rows were deleted. */
export async function nextNumber(transaction: Transaction, name: string): Promise<number> {
  const raise = () =>
    transaction
      .updateTable('counters')
      .set((counter) => ({ value: counter('value', '+', 1) }))
      .where('name', '=', name)
      .executeTakeFirst()
  const { numUpdatedRows } = await raise()
  if (numUpdatedRows === 0n) {
    await transaction.insertInto('counters').values({ name, value: 1 }).execute()
    return 1
  }
  const counter = await transaction
    .selectFrom('counters')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return counter.value
}

/** Runs an insert that another may have done at the same moment; false when there is such a row already. */
export async function insertIfAbsent(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert()
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}
