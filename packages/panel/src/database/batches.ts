import { setTimeout as pause } from 'node:timers/promises'

/** Time from one batch to the next. */
const intervalMs = 100

interface Batch<Item, Result> {
  readonly items: Item[]
  readonly results: Promise<readonly Result[]>
}

/**
 * Runs calls that arrive within a short time together, in one transaction: the disk takes as long for a commit with many
 * rows as for one. `run` returns the results in the order of the items. A call after a quiet time runs at once.
 */
export function batches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let waiting: Batch<Item, Result> | undefined
  let nextAt = 0

  function begin(): Batch<Item, Result> {
    const items: Item[] = []
    const results = pause(Math.max(0, nextAt - performance.now())).then(() => {
      waiting = undefined
      nextAt = performance.now() + intervalMs
      return run(items)
    })
    return { items, results }
  }

  return async (item) => {
    waiting ??= begin()
    const { items, results } = waiting
    const at = items.push(item) - 1
    return (await results)[at] as Result
  }
}
