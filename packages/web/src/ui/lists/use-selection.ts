import { useCallback, useState } from 'react'

/** Items by their key, in the order of the list. */
type Items<T> = ReadonlyMap<string, T>

interface Selected<T> {
  readonly items: Items<T>
  /** Key of the item toggled last: where a range begins. */
  readonly anchor: string | undefined
}

export const noneSelected = { items: new Map<string, never>(), anchor: undefined } as const

/** Toggles one item, which becomes the anchor. */
export function toggleItem<T>({ items }: Selected<T>, all: Items<T>, key: string): Selected<T> {
  return { items: setItems(items, getRange(all, key, key), !items.has(key)), anchor: key }
}

/** Shift and click: everything from the anchor to `key` becomes selected or not, like the anchor. */
export function toggleRange<T>(selected: Selected<T>, all: Items<T>, key: string): Selected<T> {
  const { items, anchor } = selected
  if (anchor === undefined || !all.has(anchor)) return toggleItem(selected, all, key)
  return { items: setItems(items, getRange(all, anchor, key), items.has(anchor)), anchor }
}

/** Shift and an arrow key: selects only what is from the anchor, or from the focused item `from`, to `to`. */
export function selectRange<T>({ items, anchor }: Selected<T>, all: Items<T>, from: string, to: string): Selected<T> {
  const start = anchor !== undefined && items.has(anchor) && all.has(anchor) ? anchor : from
  return { items: new Map(getRange(all, start, to)), anchor: start }
}

function setItems<T>(items: Items<T>, changed: Iterable<readonly [string, T]>, isSelected: boolean): Items<T> {
  const next = new Map(items)
  for (const [key, item] of changed) {
    if (isSelected) next.set(key, item)
    else next.delete(key)
  }
  return next
}

function getRange<T>(all: Items<T>, first: string, last: string): readonly (readonly [string, T])[] {
  const keys = [...all.keys()]
  const [from, to] = [keys.indexOf(first), keys.indexOf(last)]
  return [...all].slice(Math.min(from, to), Math.max(from, to) + 1)
}

/**
 * The selected items of a list. Items stay selected when they leave `items` (another page); a change of `scope` (another
 * filter, another folder) clears the selection.
 */
export function useSelection<T>(items: readonly T[], getKey: (item: T) => string, scope: string) {
  const [state, setState] = useState<Selected<T> & { readonly scope: string }>({ ...noneSelected, scope })
  const { items: selected } = state.scope === scope ? state : noneSelected
  const isAll = items.length > 0 && items.every((item) => selected.has(getKey(item)))

  const update = (change: (now: Selected<T>) => Selected<T>) =>
    setState((now) => ({ ...change(now.scope === scope ? now : noneSelected), scope }))
  const toMap = (all: readonly T[]) => new Map(all.map((item) => [getKey(item), item] as const))

  return {
    selected: [...selected.values()],
    has: (key: string) => selected.has(key),
    /** Whether all of `items` are selected. */
    isAll,
    clear: useCallback(() => setState({ ...noneSelected, scope }), [scope]),
    select: (all: readonly T[]) => update(() => ({ ...noneSelected, items: toMap(all) })),
    toggleAll: () => update((now) => ({ ...now, items: setItems(now.items, toMap(items), !isAll) })),
    /** Toggles one item; with `isRange` everything in `all` from the item toggled last to this one becomes like that one. */
    toggle: (key: string, isRange = false, all = items) =>
      update((now) => (isRange ? toggleRange : toggleItem)(now, toMap(all), key)),
    /** Selects only what is from the item toggled last, or from `from`, to `to`. */
    selectRange: (from: string, to: string) => update((now) => selectRange(now, toMap(items), from, to)),
  }
}
export type Selection<T> = ReturnType<typeof useSelection<T>>
