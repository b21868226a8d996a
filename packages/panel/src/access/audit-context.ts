import { runTransaction } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'

/** What something was done to. */
export interface AuditSubject {
  readonly server?: string | undefined
  /** A name or number, never a secret. */
  readonly target?: string | undefined
  /** Where it comes from, when a node asks for somebody. */
  readonly from?: string | undefined
}

/**
 * What the caller of a call is doing, for the record of activity. What changes the database is written down in the same
 * transaction, see {@link auditedTransaction}; anything else by itself when the call has ended.
 */
export interface AuditContext {
  /** Says who it is, where the caller has no session. */
  setActor(user: { readonly id: number; readonly username: string }): void
  /** Says what it is about where the path and body of the call do not. */
  setSubject(about: AuditSubject): void
  /** Writes it down as done, within the transaction. */
  record(transaction: Transaction): Promise<void>
  /** Says that nothing was done: it was only asked, or waits for more. */
  skip(): void
}

/** Runs work whole or not at all, and with it its entry in the record of activity: neither is without the other. */
export async function auditedTransaction<T>(
  audit: AuditContext,
  db: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return runTransaction(db, async (transaction) => {
    const result = await work(transaction)
    await audit.record(transaction)
    return result
  })
}
