import { useCallback, useMemo, useState } from 'react'
import type { FileItem } from './entries.ts'
import { emptySelection, type Selection, selectRange, toggleItem, toggleRange } from './selection.ts'

/** The selection among the items in view. Items that leave the view are no longer selected. */
export function useSelection(items: readonly FileItem[], folder: string) {
  const [selection, setSelection] = useState<Selection>(emptySelection)
  const [shownFolder, setShownFolder] = useState(folder)
  if (shownFolder !== folder) {
    setShownFolder(folder)
    setSelection(emptySelection)
  }
  const selectable = useMemo(() => items.filter(({ isUnsupported }) => !isUnsupported), [items])
  const order = useMemo(() => selectable.map(({ path }) => path), [selectable])
  const selected = useMemo(
    () => (selection.paths.size === 0 ? [] : selectable.filter(({ path }) => selection.paths.has(path))),
    [selectable, selection],
  )
  const clear = useCallback(() => setSelection(emptySelection), [])

  return {
    selected,
    has: (path: string) => selection.paths.has(path),
    isAll: selected.length > 0 && selected.length === order.length,
    clear,
    selectAll: () => setSelection({ paths: new Set(order), anchor: undefined }),
    /** Toggles one item, or, with `isRange`, everything from the anchor to it. */
    toggle: (path: string, isRange = false) =>
      setSelection((now) => (isRange ? toggleRange(now, order, path) : toggleItem(now, path))),
    /** Selects everything from the anchor (`from`, if there is none) to `to`. */
    selectRange: (from: string, to: string) => setSelection((now) => selectRange(now, order, from, to)),
  }
}
export type FileSelection = ReturnType<typeof useSelection>
