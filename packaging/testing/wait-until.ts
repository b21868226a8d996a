import { setTimeout as pause } from 'node:timers/promises'

/**
 * Polls until `probe` returns a truthy value, and returns it. Errors of `probe` count as not yet.
 * @throws Error after the timeout.
 */
export async function waitUntil<T>(
  condition: string,
  probe: () => T | Promise<T>,
  timeoutMs = 120_000,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs
  let lastError: unknown
  for (;;) {
    try {
      const result = await probe()
      if (result) return result
    } catch (error) {
      lastError = error
    }
    if (performance.now() > deadline)
      throw new Error(`timed out after ${timeoutMs / 1000} s: ${condition}`, { cause: lastError })
    await pause(50)
  }
}
