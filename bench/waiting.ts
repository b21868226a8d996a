import { setTimeout as pause } from 'node:timers/promises'

const lookEveryMs = 100

/** Looks again and again until it is so. @throws Error when it is not so in time. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean, ms: number): Promise<void> {
  const end = performance.now() + ms
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(tooLong(what, ms))
    await pause(lookEveryMs)
  }
}

/** Waits for the end of something, but not for ever. @throws Error when it takes longer. */
export async function within<T>(what: string, ms: number, doing: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(tooLong(what, ms))), ms)
  try {
    return await Promise.race([doing, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Does something with each of them, so many at a time. After one has failed no other is begun. */
export async function each<T>(
  things: readonly T[],
  atOnce: number,
  act: (thing: T) => Promise<unknown>,
): Promise<void> {
  // A generator, unlike the iterator of a list, is over for all when one of them leaves it.
  const left = (function* () {
    yield* things
  })()
  const work = async () => {
    for (const thing of left) await act(thing)
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

const tooLong = (what: string, ms: number): string => `not within ${ms / 1000} s: ${what}`
