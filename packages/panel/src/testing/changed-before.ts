import type { Database, Transaction } from '../database/schema.ts'

/** A database that runs a change right before each transaction. */
export function changedBefore(db: Database, change: () => Promise<unknown>): Database {
  const transaction = () => ({
    async execute<T>(work: (transaction: Transaction) => Promise<T>) {
      await change()
      return await db.transaction().execute(work)
    },
  })
  return new Proxy(db, {
    get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name, target).bind(target)),
  })
}
