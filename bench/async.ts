import { setTimeout as pause } from 'node:timers/promises'

const intervalMs = 100

/** Polls until the condition is met. @throws Error after the timeout. */
export async function waitUntil(
  condition: string,
  isMet: () => Promise<boolean> | boolean,
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(timeoutMessage(condition, timeoutMs))
    await pause(intervalMs)
  }
}

/** Waits for a promise. @throws Error after the timeout. */
export async function withTimeout<T>(title: string, timeoutMs: number, promise: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(timeoutMessage(title, timeoutMs))), timeoutMs)
  try {
    return await Promise.race([promise, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Runs `run` for each item with limited concurrency. After a failure no further item is started. */
export async function forEachConcurrent<T>(
  items: readonly T[],
  concurrency: number,
  run: (item: T) => Promise<unknown>,
): Promise<void> {
  // Unlike the iterator of an array, a generator is finished for all workers when one of them throws.
  const queue = (function* () {
    yield* items
  })()
  const work = async () => {
    for (const item of queue) await run(item)
  }
  const results = await Promise.allSettled(Array.from({ length: concurrency }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

const timeoutMessage = (title: string, timeoutMs: number): string => `timed out after ${timeoutMs / 1000} s: ${title}`
