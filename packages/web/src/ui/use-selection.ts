import { useState } from 'react'

interface State<T> {
  readonly scope: string
  readonly selected: ReadonlyMap<string, T>
  /** Key of the item toggled last: where a range begins. */
  readonly anchor: string | undefined
}

/**
 * The selected items of a list. Items stay selected when they leave `items` (another page); a change of `scope` (another
 * filter) clears the selection.
 */
export function useSelection<T>(items: readonly T[], getKey: (item: T) => string, scope: string) {
  const empty: State<T> = { scope, selected: new Map(), anchor: undefined }
  const [stored, setState] = useState(empty)
  const state = stored.scope === scope ? stored : empty
  const { selected } = state
  const isAll = items.length > 0 && items.every((item) => selected.has(getKey(item)))

  const setSelected = (changed: readonly T[], isSelected: boolean, anchor = state.anchor) => {
    const next = new Map(selected)
    for (const item of changed) {
      if (isSelected) next.set(getKey(item), item)
      else next.delete(getKey(item))
    }
    setState({ scope, selected: next, anchor })
  }
  return {
    selected: [...selected.values()],
    has: (key: string) => selected.has(key),
    /** Whether all of `items` are selected. */
    isAll,
    clear: () => setState(empty),
    select: (all: readonly T[]) =>
      setState({ ...empty, selected: new Map(all.map((item) => [getKey(item), item] as const)) }),
    toggleAll: () => setSelected(items, !isAll),
    /**
     * Toggles one item; with `extend` everything between the item toggled last and this one in `all` becomes like this
     * one.
     */
    toggle(key: string, extend = false, all = items) {
      const from = extend ? all.findIndex((item) => getKey(item) === state.anchor) : -1
      const to = all.findIndex((item) => getKey(item) === key)
      const range = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)]
      setSelected(all.slice(range[0], (range[1] ?? to) + 1), !selected.has(key), key)
    },
  }
}
export type Selection<T> = ReturnType<typeof useSelection<T>>
