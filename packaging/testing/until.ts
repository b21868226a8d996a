import { setTimeout as pause } from 'node:timers/promises'

/**
 * Waits until something is the case, and returns what it is.
 * @throws Error when it takes too long.
 */
export async function until<T>(what: string, look: () => T | Promise<T>, timeoutMs = 120_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs
  let last: unknown
  for (;;) {
    try {
      const found = await look()
      if (found) return found
    } catch (error) {
      last = error
    }
    if (performance.now() > deadline) throw new Error(`it took too long until ${what}`, { cause: last })
    await pause(50)
  }
}
