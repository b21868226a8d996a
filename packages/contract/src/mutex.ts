/** The last one that waits for each key. Nothing is kept of keys that are free. */
const last = new Map<string, Promise<void>>()

/** Acts when all earlier calls in this process that name one of the same keys have ended. */
export async function withLock<T>(keys: readonly string[], act: () => Promise<T>): Promise<T> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const own = new Set(keys)
  // All keys are taken at once, so that no two calls wait for each other.
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
