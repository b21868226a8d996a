import type { KeyboardEvent } from 'react'

/** What the arrow keys stop at carries this. */
export const stop = 'data-stop'

/** Moves the focus through the controls of a table as through a grid; the page does not scroll along. */
export function moveInGrid(event: KeyboardEvent<HTMLTableElement>): void {
  const from = event.target instanceof Element ? event.target.closest<HTMLElement>(`[${stop}]`) : null
  if (!from || event.altKey || event.metaKey || event.shiftKey) return
  const rows = [...event.currentTarget.tBodies]
    .flatMap(({ rows }) => [...rows].map(stopsIn))
    .filter((row) => row.length)
  const y = rows.findIndex((row) => row.includes(from))
  const x = rows[y]?.indexOf(from) ?? -1
  const isRtl = getComputedStyle(from).direction === 'rtl'
  const to = target(
    event.key,
    event.ctrlKey,
    isRtl,
    { x, y },
    rows.map((row) => row.length),
  )
  const next = to && rows[to.y]?.[to.x]
  if (!next) return
  event.preventDefault()
  next.focus()
}

interface Place {
  readonly x: number
  readonly y: number
}

/** Where a key leads from a place in rows of these lengths; `undefined` when it is no key of a grid. */
export function target(
  key: string,
  withControl: boolean,
  isRtl: boolean,
  { x, y }: Place,
  lengths: readonly number[],
): Place | undefined {
  const within = (wanted: Place): Place => {
    const row = Math.min(Math.max(wanted.y, 0), lengths.length - 1)
    return { y: row, x: Math.min(Math.max(wanted.x, 0), (lengths[row] ?? 1) - 1) }
  }
  const forward = isRtl ? -1 : 1
  switch (key) {
    case 'ArrowRight':
      return within({ x: x + forward, y })
    case 'ArrowLeft':
      return within({ x: x - forward, y })
    case 'ArrowDown':
      return within({ x, y: y + 1 })
    case 'ArrowUp':
      return within({ x, y: y - 1 })
    case 'Home':
      return within({ x: 0, y: withControl ? 0 : y })
    case 'End':
      return within({ x: Number.MAX_SAFE_INTEGER, y: withControl ? lengths.length - 1 : y })
    default:
      return undefined
  }
}

function stopsIn(row: HTMLTableRowElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(`[${stop}]`)]
}
