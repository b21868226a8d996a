import { useT } from '../i18n/i18n.tsx'
import { useHotkeys } from './hotkeys.tsx'

interface RowHotkeyOptions {
  /** The heading of the hotkeys in the list of shortcuts. */
  readonly group: string
  readonly labels?: { readonly next: string; readonly previous: string }
  readonly getCount: () => number
  /** Returns the row that has the focus; `undefined` when the focus is outside of the list. */
  readonly getFocused: () => number | undefined
  readonly focus: (index: number) => void
  /** The row that gets the focus first. */
  readonly firstRow?: number
  /** Selects a row, or deselects it. */
  readonly onSelect?: (index: number) => void
}

/** `j` and `k` move the focus between the rows of the page's list, `x` selects. Returns a function that moves by a step. */
export function useRowHotkeys(options: RowHotkeyOptions): (step: 1 | -1) => void {
  const { group, labels, getCount, getFocused, focus, firstRow = 0, onSelect } = options
  const t = useT()
  const move = (step: 1 | -1) => {
    const index = getFocused()
    focus(index === undefined ? firstRow : clampRow(index + step, getCount()))
  }
  const selectFocused = () => {
    const index = getFocused()
    if (index !== undefined) onSelect?.(index)
  }
  const common = { group, hiddenInPalette: true }
  useHotkeys([
    { ...common, keys: 'j', label: labels?.next ?? t('common.NextRow'), run: () => move(1) },
    { ...common, keys: 'k', label: labels?.previous ?? t('common.PreviousRow'), run: () => move(-1) },
    ...(onSelect ? [{ ...common, keys: 'x', label: t('common.SelectRow'), run: selectFocused }] : []),
  ])
  return move
}

/** Returns the nearest row of a list. */
export function clampRow(index: number, count: number): number {
  return Math.min(Math.max(index, 0), count - 1)
}
