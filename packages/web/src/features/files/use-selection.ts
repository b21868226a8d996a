import { useCallback, useMemo, useState } from 'react'
import type { Item } from './entries.ts'
import { nothingChosen, reached, type Selection, toggled, toggledTo } from './selection.ts'

/** What is chosen among the items in view; what leaves the view leaves the choice. */
export function useSelection(items: readonly Item[], folder: string) {
  const [selection, setSelection] = useState<Selection>(nothingChosen)
  const [shownFolder, setShownFolder] = useState(folder)
  if (shownFolder !== folder) {
    setShownFolder(folder)
    setSelection(nothingChosen)
  }
  const order = useMemo(() => items.filter(({ isOdd }) => !isOdd).map(({ path }) => path), [items])
  const chosen = useMemo(
    () => (selection.paths.size === 0 ? [] : items.filter(({ path, isOdd }) => !isOdd && selection.paths.has(path))),
    [items, selection],
  )
  const clear = useCallback(() => setSelection(nothingChosen), [])

  return {
    chosen,
    has: (path: string) => selection.paths.has(path),
    isAll: chosen.length > 0 && chosen.length === order.length,
    clear,
    all: () => setSelection({ paths: new Set(order), anchor: undefined }),
    /** One more or less; with `toHere` everything from the last one to this one. */
    toggle: (path: string, toHere = false) =>
      setSelection((now) => (toHere ? toggledTo(now, order, path) : toggled(now, path))),
    /** Everything from where a range began, or from `from`, to `to`. */
    reach: (from: string, to: string) => setSelection((now) => reached(now, order, from, to)),
  }
}
export type Chosen = ReturnType<typeof useSelection>
