/** The last call in line for each key. Free keys have no entry. */
const last = new Map<LockKey, Promise<void>>()

/** A name, or the object that is locked. */
export type LockKey = string | object

/**
 * The mutex: runs `act` after all earlier calls with one of the same keys have ended (in this process). Not reentrant: a
 * call inside `act` with the same key would wait for itself.
 */
export async function withLock<T>(keys: readonly LockKey[], act: () => Promise<T>): Promise<T> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const own = new Set(keys)
  // Acquires all keys in one step, so that two calls cannot deadlock.
  const before = [...own].map((key) => last.get(key) ?? Promise.resolve())
  for (const key of own) last.set(key, released)
  try {
    await Promise.all(before)
    return await act()
  } finally {
    release()
    for (const key of own) if (last.get(key) === released) last.delete(key)
  }
}

/**
 * Returns a function that saves with the lock. Requests during a save share the next one: each resolves when the state at
 * its call is saved.
 */
export function sharedSave(key: LockKey, save: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | undefined
  return () => {
    next ??= withLock([key], async () => {
      next = undefined
      await save()
    })
    return next
  }
}

/** Waits until all earlier calls with one of the keys have ended. */
export async function untilUnlocked(...keys: readonly LockKey[]): Promise<void> {
  await withLock(keys, async () => {})
}
