import { runTransaction } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'

/** The subject of an audit log entry. */
export interface AuditSubject {
  readonly server?: string | undefined
  /** A name or ID, never a secret. */
  readonly target?: string | undefined
  /** Address of the user, when a node acts on behalf of the user. */
  readonly from?: string | undefined
}

/**
 * Audit context of an API call. A change of the database records its entry in the same transaction, see {@link
 * auditedTransaction}. For any other call the entry is written when the call has ended.
 */
export interface AuditContext {
  /** Sets the user of a call without a session. */
  setActor(user: { readonly id: number; readonly username: string }): void
  /** Sets the subject when it is not in the input of the call. */
  setSubject(about: AuditSubject): void
  /** Records the action as successful, within the transaction. */
  record(transaction: Transaction): Promise<void>
  /** Suppresses the entry of a successful call: nothing was changed, or the action is not complete. */
  skip(): void
}

/** Runs `work` in a transaction that also records the audit log entry. */
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
