import type { Database } from '../database/schema.ts'

/** What something was done to. */
export interface About {
  readonly server?: string | undefined
  /** A name or number, never a secret. */
  readonly target?: string | undefined
  /** Where it comes from, when a node asks for somebody. */
  readonly from?: string | undefined
}

/**
 * What the caller of a call is doing, for the record of activity. It is written down by itself when the call has ended;
 * a service with a transaction writes it there instead, so that neither is without the other.
 */
export interface Acting {
  /** Says who it is, where the caller has no session. */
  by(user: { readonly id: number; readonly username: string }): void
  /** Says what it is about where the path of the call does not. */
  about(about: About): void
  /** Writes it down as done, within the transaction. */
  done(transaction: Database): Promise<void>
  /** Says that nothing was done: it was only asked, or waits for more. */
  nothing(): void
}
