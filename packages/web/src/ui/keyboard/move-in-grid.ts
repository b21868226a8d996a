import { getArrowStep } from './arrow-keys.ts'
import { clampIndex, type FocusPosition } from './use-arrow-focus.ts'

interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
}

/** The keys of an ARIA grid: up and down stay in the column, Home and End in the row. */
export function moveInGrid(
  { key, ctrlKey }: KeyPress,
  { row, column }: FocusPosition,
  lengths: readonly number[],
): FocusPosition | undefined {
  const [first, last] = ctrlKey ? [0, lengths.length - 1] : [row, row]
  const targets: Readonly<Record<string, FocusPosition>> = {
    ArrowDown: { row: row + 1, column },
    ArrowUp: { row: row - 1, column },
    Home: { row: first, column: 0 },
    End: { row: last, column: Number.POSITIVE_INFINITY },
  }
  const step = getArrowStep({ key })
  const target = step === undefined ? targets[key] : { row, column: column + step }
  if (!target) return undefined
  const targetRow = clampIndex(target.row, lengths.length)
  return { row: targetRow, column: clampIndex(target.column, lengths[targetRow] ?? 0) }
}

/** The keys of a toolbar: left and right, from its end to its start too. */
export function moveInToolbar(
  { key, ctrlKey }: KeyPress,
  { row, column }: FocusPosition,
  lengths: readonly number[],
): FocusPosition | undefined {
  const step = ctrlKey ? undefined : getArrowStep({ key })
  const length = lengths[row] ?? 0
  return step === undefined ? undefined : { row, column: (column + step + length) % length }
}
