/**
 * Works on several things at a time and gives the results in the order of the things. Not more than `ahead` results are
 * waiting or being worked on, so that a slow reader holds everything up.
 */
export async function* orderedMap<T, R>(
  things: AsyncIterable<T>,
  ahead: number,
  work: (thing: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = []
  try {
    for await (const thing of things) {
      const result = work(thing)
      // It may fail before it is its turn to be told.
      result.catch(() => undefined)
      waiting.push(result)
      if (waiting.length >= ahead) yield await first(waiting)
    }
    while (waiting.length > 0) yield await first(waiting)
  } finally {
    await Promise.allSettled(waiting)
  }
}

async function first<R>(waiting: Promise<R>[]): Promise<R> {
  const [next] = waiting
  try {
    return await (next as Promise<R>)
  } finally {
    void waiting.shift()
  }
}
