/**
 * Like `Promise.all`, but waits until all have settled before it rejects: operations that use a path through a
 * directory handle must end before the handle is closed.
 */
export async function settleAll<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return await Promise.all(works)
}
