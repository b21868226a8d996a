import type { KeyboardEvent, RefObject } from 'react'
import { type Hotkey, useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { getArrowStep } from './arrow-keys.ts'

export interface FocusPosition {
  readonly row: number
  readonly column: number
}

/**
 * Returns where a key leads; without a column to the main control of the row. `lengths` are the numbers of controls of the
 * rows. Returns `undefined` for other keys.
 */
type Move = (
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey'>,
  from: FocusPosition,
  lengths: readonly number[],
) => { readonly row: number; readonly column?: number } | undefined

/** The controls of each row. A row that is not rendered has none. */
type Rows = readonly (readonly HTMLElement[])[]

interface ArrowFocusOptions {
  /** `moveInList`, `moveInGrid` or `moveInToolbar`. */
  readonly move: Move
  /** The element around the rows. */
  readonly root: RefObject<HTMLElement | null>
  readonly getRows: (root: HTMLElement) => Rows
  /** Focuses a row of a list. By default, its control with the attribute `data-main`, or its first one. */
  readonly focusRow?: (row: number) => void
  /** Shift and a key that moves from row to row. */
  readonly onRange?: (from: number, to: number) => void
  /** Makes the letters work anywhere on the page. */
  readonly hotkeys?: RowHotkeys
}

interface RowHotkeys {
  /** The heading of the hotkeys in the list of shortcuts. */
  readonly group: string
  readonly labels?: { readonly next: string; readonly previous: string }
  /** The row that gets the focus first. */
  readonly firstRow?: number
  /** Selects a row, or deselects it. */
  readonly onSelect?: (row: number) => void
}

/**
 * Moves the focus between the controls of a list, grid or toolbar. Returns a listener for key presses, which returns
 * whether the key moved the focus. With `hotkeys`, `j` and `k` move between rows, and `x` selects.
 */
export function useArrowFocus(options: ArrowFocusOptions): (event: KeyboardEvent) => boolean {
  const { move, root, onRange, hotkeys } = options
  const getRows = () => (root.current ? options.getRows(root.current) : [])
  const focusRow = options.focusRow ?? ((row) => getMain(getRows()[row])?.focus())
  useHotkeys(useRowHotkeys(getRows, focusRow, hotkeys))

  return (event) => {
    const rows = getRows()
    const from = getPosition(rows, event.target)
    if (!from || event.altKey || event.metaKey || (event.shiftKey && !onRange)) return false
    const to = move(
      event,
      from,
      rows.map((row) => row.length),
    )
    if (!to) return false
    // The page would scroll.
    event.preventDefault()
    event.stopPropagation()
    if (event.shiftKey && to.row !== from.row) onRange?.(from.row, to.row)
    if (to.column === undefined) focusRow(to.row)
    else focusControl(rows[to.row], to.column, to.column - from.column)
    return true
  }
}

/** Returns the controls of the rows that have any, by CSS selectors. */
export function findControls(root: HTMLElement, row: string, control: string): Rows {
  return [...root.querySelectorAll(row)]
    .map((element) => [...element.querySelectorAll<HTMLElement>(control)])
    .filter((controls) => controls.length > 0)
}

function useRowHotkeys(
  getRows: () => Rows,
  focusRow: (row: number) => void,
  hotkeys: RowHotkeys | undefined,
): readonly Hotkey[] {
  const t = useT()
  if (!hotkeys) return []
  const { group, labels, firstRow = 0, onSelect } = hotkeys
  const moveBy = (step: 1 | -1) => {
    const rows = getRows()
    const from = getPosition(rows, document.activeElement)
    focusRow(from ? clampIndex(from.row + step, rows.length) : firstRow)
  }
  const select = () => {
    const from = getPosition(getRows(), document.activeElement)
    if (from) onSelect?.(from.row)
  }
  const common = { group, hiddenInPalette: true }
  return [
    { ...common, keys: 'j', label: labels?.next ?? t('common.NextRow'), run: () => moveBy(1) },
    { ...common, keys: 'k', label: labels?.previous ?? t('common.PreviousRow'), run: () => moveBy(-1) },
    ...(onSelect ? [{ ...common, keys: 'x', label: t('common.SelectRow'), run: select }] : []),
  ]
}

function getPosition(rows: Rows, target: EventTarget | null): FocusPosition | undefined {
  if (!(target instanceof HTMLElement)) return undefined
  const row = rows.findIndex((controls) => controls.includes(target))
  return row < 0 ? undefined : { row, column: rows[row]?.indexOf(target) ?? 0 }
}

/** Focuses a control. One that is hidden takes no focus; then the next one in the direction does. */
function focusControl(row: readonly HTMLElement[] = [], column: number, direction: number): void {
  const control = row[column]
  control?.focus()
  if (control && control !== document.activeElement && direction !== 0)
    focusControl(row, column + Math.sign(direction), direction)
}

const getMain = (row: readonly HTMLElement[] = []) =>
  row.find((control) => control.dataset.main !== undefined) ?? row[0]

/** Returns the nearest number from 0 to below `count`. */
export const clampIndex = (index: number, count: number) => Math.max(0, Math.min(index, count - 1))

/** Rows that Page Up and Page Down move by. */
const pageRows = 10

/** Up, down, Page Up, Page Down, Home and End move between rows, left and right between the controls of a row. */
export const moveInList: Move = ({ key, ctrlKey }, { row, column }, lengths) => {
  if (ctrlKey) return undefined
  const step = getArrowStep({ key })
  if (step !== undefined) return { row, column: clampIndex(column + step, lengths[row] ?? 0) }
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + pageRows,
    PageUp: row - pageRows,
    Home: 0,
    End: lengths.length,
  }
  const target = targets[key]
  return target === undefined ? undefined : { row: clampIndex(target, lengths.length) }
}
