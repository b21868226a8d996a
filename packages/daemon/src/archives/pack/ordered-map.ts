/**
 * Maps items concurrently and yields the results in order. At most `ahead` results are in progress or waiting, so that
 * a slow reader applies backpressure.
 */
export async function* orderedMap<T, R>(
  source: AsyncIterable<T>,
  ahead: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = []
  try {
    for await (const item of source) {
      const result = work(item)
      // May reject before it is awaited.
      result.catch(() => undefined)
      waiting.push(result)
      if (waiting.length >= ahead) yield await (waiting.shift() as Promise<R>)
    }
    while (waiting.length > 0) yield await (waiting.shift() as Promise<R>)
  } finally {
    await Promise.allSettled(waiting)
  }
}
