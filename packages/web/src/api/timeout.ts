/** Timeout of loading the code of a view. */
export const viewLoadTimeoutMs = 120_000

/** A time limit was exceeded. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** Rejects with a `TimeoutError` when the promise is not settled in time. The underlying work is not aborted. */
export async function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`not done after ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
