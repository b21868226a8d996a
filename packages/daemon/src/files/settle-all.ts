/**
 * Like `Promise.all`, but it waits for all also when one fails: what still goes by the path of a held folder must not be
 * left behind when that is let go of.
 */
export async function settleAll<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return await Promise.all(works)
}
