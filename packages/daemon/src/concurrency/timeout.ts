/**
 * Waits for an operation that cannot be aborted itself. Rejects with the signal's reason when it aborts; the operation
 * continues.
 */
export async function abortable<T>(operation: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  return await Promise.race([operation, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}

interface TimeoutOptions {
  readonly ms: number
  readonly signal?: AbortSignal | undefined
  /** Creates the error that is thrown after the timeout. */
  readonly error: () => Error
}

/** Waits for an operation, with a timeout. The operation itself continues. */
export async function withTimeout<T>(operation: Promise<T>, { ms, signal, error }: TimeoutOptions): Promise<T> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(error()), ms)
  const either = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal
  return await abortable(operation, either).finally(() => clearTimeout(timer))
}

/** Waits for an operation, with a timeout. Returns whether it has ended; rejects when it fails before. */
export async function endsWithin(operation: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: isLate, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), ms)
  return await Promise.race([operation.then(() => true), isLate]).finally(() => clearTimeout(timer))
}
