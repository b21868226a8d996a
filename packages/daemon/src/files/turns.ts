/** The last one in each line. More than one `RootFs` may stand for a folder, so all of this process wait in the same. */
const lines = new Map<string, Promise<void>>()

/** Acts when all who came before with one of the same keys are done. */
export async function inTurn<T>(keys: readonly string[], act: () => Promise<T>): Promise<T> {
  const { promise: done, resolve: leave } = Promise.withResolvers<void>()
  const own = new Set(keys)
  // All lines are joined at once, so that no two wait for each other.
  const before = [...own].map((key) => lines.get(key) ?? Promise.resolve())
  for (const key of own) lines.set(key, done)
  try {
    await Promise.all(before)
    return await act()
  } finally {
    leave()
    for (const key of own) if (lines.get(key) === done) lines.delete(key)
  }
}
