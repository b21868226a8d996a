import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { FileItem } from './entries.ts'

/** Longer lists render only the rows in view. */
const virtualizeFrom = 200

export interface FileTableHandle {
  /** Focuses the row of a path; if there is none, the active row. */
  readonly focus: (path?: string) => void
}

interface GridRowsOptions {
  readonly items: readonly FileItem[]
  readonly isPhone: boolean
  readonly initialScrollTop: number
  readonly handle: RefObject<FileTableHandle | null>
}

export type GridRows = ReturnType<typeof useGridRows>

/** The rows of the grid that are rendered, and the one that has the tab stop. */
export function useGridRows({ items, isPhone, initialScrollTop, handle }: GridRowsOptions) {
  const scroller = useRef<HTMLDivElement>(null)
  const [activePath, setActivePath] = useState<string>()
  const rowToFocus = useRef<number>(undefined)
  const height = useRowHeight(isPhone)
  const activeIndex = items.findIndex(({ path, isUnsupported }) => path === activePath && !isUnsupported)
  const activeRow = Math.max(activeIndex, 0)
  const isVirtualized = items.length > virtualizeFrom

  const rows = useVirtualizer({
    count: isVirtualized ? items.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    // Used until the element has been measured, so that the first render shows rows.
    initialRect: { width: 0, height: innerHeight },
    // Also scrolls a list that is not virtualized.
    initialOffset: initialScrollTop,
    // Lets React batch the render of a scroll with others.
    useFlushSync: false,
    // Unmounting the focused row would lose the focus.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), activeRow])].sort((a, b) => a - b),
  })

  const focusRow = (index: number) => {
    const item = items[index]
    if (!item) return scroller.current?.focus()
    setActivePath(item.path)
    rowToFocus.current = index
    if (isVirtualized) rows.scrollToIndex(index)
    applyFocus()
  }
  /** Focuses `rowToFocus` as soon as that row is rendered. */
  const applyFocus = () => {
    if (rowToFocus.current === undefined) return
    const row = scroller.current?.querySelector<HTMLElement>(`tr[data-index="${rowToFocus.current}"] [data-main]`)
    if (!row) return
    rowToFocus.current = undefined
    row.focus()
    row.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }
  useLayoutEffect(applyFocus)
  useLayoutEffect(() => scroller.current?.style.setProperty('--ik-row', `${height}px`), [height])
  useImperativeHandle(handle, () => ({
    focus(path) {
      const index = items.findIndex((item) => item.path === path)
      if (path !== undefined && index >= 0) focusRow(index)
      else if (items.length > 0) focusRow(activeRow)
      else scroller.current?.focus()
    },
  }))

  return {
    scroller,
    activeRow,
    setActivePath,
    focusRow,
    rendered: isVirtualized ? rows.getVirtualItems() : items.map((_, index) => ({ index, start: 0, end: 0 })),
    /** Height of all rows; 0 when all are rendered. */
    totalSize: isVirtualized ? rows.getTotalSize() : 0,
  }
}

/** Row height in pixels, as the virtualizer needs it; it follows the browser's font size. */
function useRowHeight(isPhone: boolean): number {
  return useMemo(() => {
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
    const isCoarse = matchMedia('(pointer: coarse)').matches
    return Math.round(rem * (isPhone ? 3.75 : isCoarse ? 2.875 : 2.625))
  }, [isPhone])
}
