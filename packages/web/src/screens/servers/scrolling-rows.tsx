import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import type { RenderedRows } from './server-list.ts'
import type { RowRange } from './use-server-rows.ts'

interface ScrollingRowsProps {
  readonly count: number
  /** Height of a row in pixels before it is measured. */
  readonly rowHeight: number
  /** Called with the rows in view, rounded so that scrolling does not change them with every row. */
  readonly onRangeChange: (range: RowRange) => void
  readonly children: (rendered: RenderedRows) => ReactNode
}

const overscan = 12
/** Rows that are loaded and polled together. */
const rangeStep = 25

/** Renders only the rows in view of a list that scrolls with the page. */
export function ScrollingRows({ count, rowHeight, onRangeChange, children }: ScrollingRowsProps) {
  const list = useRef<HTMLDivElement>(null)
  const [scrollMargin, setScrollMargin] = useState(0)
  const rows = useVirtualizer({
    count,
    overscan,
    scrollMargin,
    getScrollElement: () => document.getElementById('content'),
    estimateSize: () => rowHeight,
    // Used until the element has been measured, so that the first render shows rows.
    initialRect: { width: 0, height: innerHeight },
    // Lets React batch the render of a scroll with others.
    useFlushSync: false,
  })
  const items = rows.getVirtualItems()
  const start = Math.floor((items[0]?.index ?? 0) / rangeStep) * rangeStep
  const end = Math.ceil(((items.at(-1)?.index ?? 0) + 1) / rangeStep) * rangeStep

  // biome-ignore lint/correctness/useExhaustiveDependencies: the callback may be another one with each render
  useLayoutEffect(() => onRangeChange({ start, end }), [start, end])
  // What is above the list changes its height: the filter, the actions on selected servers.
  useLayoutEffect(() => {
    const content = document.getElementById('content')
    if (!content || !list.current) return
    const top = list.current.getBoundingClientRect().top - content.getBoundingClientRect().top + content.scrollTop
    if (Math.abs(top - scrollMargin) > 1) setScrollMargin(top)
  })

  const before = (items[0]?.start ?? scrollMargin) - scrollMargin
  const after = rows.getTotalSize() - ((items.at(-1)?.end ?? scrollMargin) - scrollMargin)
  return (
    <div ref={list}>
      {children({ indexes: items.map(({ index }) => index), before, after, measure: rows.measureElement })}
    </div>
  )
}
