import { useMemo } from 'react'
import { useSelection } from '../../ui/lists/use-selection.ts'
import type { FileItem } from './entries.ts'

/** The selection among the items in view. Items that leave the view are no longer selected. */
export function useFileSelection(items: readonly FileItem[], folder: string) {
  const selectable = useMemo(() => items.filter(({ isUnsupported }) => !isUnsupported), [items])
  const selection = useSelection(selectable, ({ path }) => path, folder)
  return {
    ...selection,
    selected: selectable.filter(({ path }) => selection.has(path)),
    selectAll: () => selection.select(selectable),
  }
}
export type FileSelection = ReturnType<typeof useFileSelection>
