/**
 * `forbidden`: the address is not allowed. `unreachable`: no connection. `broken`: the connection ended early. `slow`:
 * a timeout. `tooLarge`: a size limit. `redirects`: too many, or an invalid one.
 */
export type FetchErrorKind = 'forbidden' | 'unreachable' | 'untrusted' | 'broken' | 'slow' | 'tooLarge' | 'redirects'

/** A failed request, with a message for users. */
export class FetchError extends Error {
  override readonly name = 'FetchFailure'
  readonly problem: FetchErrorKind

  constructor(problem: FetchErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }

  /** Whether a retry may succeed. */
  get isRetryable(): boolean {
    return ['unreachable', 'broken', 'slow'].includes(this.problem)
  }
}
