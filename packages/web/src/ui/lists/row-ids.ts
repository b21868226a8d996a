import isEqual from 'fast-deep-equal'
import { useState } from 'react'

/** An id that no row has yet, from 1. */
export function nextId(rows: readonly { readonly id: number }[]): number {
  return Math.max(0, ...rows.map(({ id }) => id)) + 1
}

/**
 * Stable ids (React keys) for the items of a list that have none. An item keeps its id while it is edited; `keepIds`
 * carries ids over when items are moved, added or removed. A list that changes otherwise gets new ids where it differs.
 */
export function useRowIds<T>(items: readonly T[]) {
  const [known, setKnown] = useState<NumberedList<T>>(() => renumber({ items: [], ids: [], nextId: 1 }, items))
  // Callers may create the array in each render.
  const isKnown = isEqual(known.items, items)
  const current = isKnown ? known : renumber(known, items)
  if (!isKnown) setKnown(current)
  return {
    ids: current.ids,
    /** Announces the next list with the id of each item; `undefined` for a new item. */
    keepIds: (next: readonly T[], ids: readonly (number | undefined)[]) =>
      setKnown((before) => assignIds(next, ids, before.nextId)),
  }
}

interface NumberedList<T> {
  readonly items: readonly T[]
  readonly ids: readonly number[]
  readonly nextId: number
}

/** Keeps the id of each item that equals the previous item at its index. */
function renumber<T>(before: NumberedList<T>, items: readonly T[]): NumberedList<T> {
  const ids = items.map((item, index) => {
    const previous = before.items[index]
    return previous !== undefined && isEqual(previous, item) ? before.ids[index] : undefined
  })
  return assignIds(items, ids, before.nextId)
}

function assignIds<T>(items: readonly T[], ids: readonly (number | undefined)[], nextId: number): NumberedList<T> {
  let free = nextId
  return { items, ids: ids.map((id) => id ?? free++), nextId: free }
}
