import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { RenderedRows } from './list/server-list.ts'
import classes from './servers.module.css'
import type { RowRange } from './use-server-rows.ts'

interface ScrollingRowsProps {
  readonly count: number
  /** Height of every row in rem. Rows are not measured: each measurement would render the list again. */
  readonly rowHeight: number
  /** Called with the rows in view, rounded so that scrolling does not change them with every row. */
  readonly onRangeChange: (range: RowRange) => void
  readonly children: (rendered: RenderedRows) => ReactNode
}

const overscan = 6
/** Rows that are loaded and polled together. */
const rangeStep = 25

/** Renders only the rows in view of a list that scrolls with the page. */
export function ScrollingRows({ count, rowHeight, onRangeChange, children }: ScrollingRowsProps) {
  const list = useRef<HTMLDivElement>(null)
  // Read while rendering: as state, set by an effect, it would render the list again while it scrolls.
  const scrollMargin = getOffset(list.current)
  // In pixels it follows the browser's font size.
  const [remPixels] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16)
  const rows = useVirtualizer({
    count,
    overscan,
    scrollMargin,
    getScrollElement,
    estimateSize: () => rowHeight * remPixels,
    // Used until the scroll element has been measured, so that the first render shows rows.
    initialRect: { width: 0, height: innerHeight },
    // Lets React batch the render of a scroll with others.
    useFlushSync: false,
  })
  const items = rows.getVirtualItems()
  const start = Math.floor((items[0]?.index ?? 0) / rangeStep) * rangeStep
  const end = Math.ceil(((items.at(-1)?.index ?? 0) + 1) / rangeStep) * rangeStep

  // biome-ignore lint/correctness/useExhaustiveDependencies: the callback may be another one with each render
  useEffect(() => onRangeChange({ start, end }), [start, end])
  const before = (items[0]?.start ?? scrollMargin) - scrollMargin
  const after = rows.getTotalSize() - ((items.at(-1)?.end ?? scrollMargin) - scrollMargin)
  return (
    <div ref={list} className={classes.scrolling}>
      {children({ indexes: items.map(({ index }) => index), before, after })}
    </div>
  )
}

/** The element of the shell that scrolls a page. */
const getScrollElement = () => document.getElementById('content')

/** The height of what is above the list. It changes with the filter and the actions on selected servers. */
function getOffset(list: HTMLElement | null): number {
  const content = getScrollElement()
  if (!list || !content) return 0
  return list.getBoundingClientRect().top - content.getBoundingClientRect().top + content.scrollTop
}
