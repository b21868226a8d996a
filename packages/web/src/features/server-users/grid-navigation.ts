import type { KeyboardEvent } from 'react'
import { isRtl } from '../../ui/arrow-keys.ts'

/** Attribute of the focusable controls in a grid. */
export const gridCellAttribute = 'data-grid-cell'

/** Moves the focus between the controls of a grid by arrow keys, Home and End. */
export function onGridKeyDown(event: KeyboardEvent<HTMLTableElement>): void {
  const from = event.target instanceof Element ? event.target.closest<HTMLElement>(`[${gridCellAttribute}]`) : null
  if (!from || event.altKey || event.metaKey || event.shiftKey) return
  const rows = [...event.currentTarget.tBodies]
    .flatMap(({ rows }) => [...rows].map(getCells))
    .filter((row) => row.length)
  const y = rows.findIndex((row) => row.includes(from))
  const x = rows[y]?.indexOf(from) ?? -1
  const to = getNextCell(
    event.key,
    event.ctrlKey,
    isRtl(),
    { x, y },
    rows.map((row) => row.length),
  )
  const next = to && rows[to.y]?.[to.x]
  if (!next) return
  // The page would scroll.
  event.preventDefault()
  next.focus()
}

interface GridPosition {
  readonly x: number
  readonly y: number
}

/** Returns the position that a key leads to, or `undefined` for other keys. `lengths` are the cells of each row. */
export function getNextCell(
  key: string,
  isCtrl: boolean,
  isMirrored: boolean,
  { x, y }: GridPosition,
  lengths: readonly number[],
): GridPosition | undefined {
  const clamp = (position: GridPosition): GridPosition => {
    const row = Math.min(Math.max(position.y, 0), lengths.length - 1)
    return { y: row, x: Math.min(Math.max(position.x, 0), (lengths[row] ?? 1) - 1) }
  }
  const forward = isMirrored ? -1 : 1
  switch (key) {
    case 'ArrowRight':
      return clamp({ x: x + forward, y })
    case 'ArrowLeft':
      return clamp({ x: x - forward, y })
    case 'ArrowDown':
      return clamp({ x, y: y + 1 })
    case 'ArrowUp':
      return clamp({ x, y: y - 1 })
    case 'Home':
      return clamp({ x: 0, y: isCtrl ? 0 : y })
    case 'End':
      return clamp({ x: Number.MAX_SAFE_INTEGER, y: isCtrl ? lengths.length - 1 : y })
    default:
      return undefined
  }
}

function getCells(row: HTMLTableRowElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(`[${gridCellAttribute}]`)]
}
