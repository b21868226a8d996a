import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import type { Line, Lines } from './buffer.ts'
import classes from './console.module.css'
import { LogRow } from './log-row.tsx'
import { usePalette } from './palette.ts'
import { type ConsolePreferences, getLineHeight } from './preferences.ts'
import { RowHeights } from './row-heights.ts'
import type { Match, SearchIndex } from './search-index.ts'
import { getTimeFormat, getTimeLength } from './time-format.ts'
import { useAnimationFrameUpdates } from './use-console-view.ts'
import { searchSliceMs } from './use-find.ts'

interface LogListProps {
  readonly lines: Lines
  /** Whether the newest line stays in view. */
  readonly isFollowing: boolean
  /** Called with false when the user scrolls up or selects text, and with true when they reach the end. */
  readonly onFollowChange: (following: boolean) => void
  readonly preferences: ConsolePreferences
  readonly searchIndex: SearchIndex | undefined
  readonly current: Match | undefined
  /** Rendered above the first line, one line high. */
  readonly head?: ReactNode
  readonly scrollerRef: RefObject<HTMLDivElement | null>
}

/** The number of lines rendered beyond each edge of the viewport. */
const overscan = 12
const sgr = /\x1b\[[\d;:]*m/g

/**
 * The lines of a console as a virtual list: only visible lines are in the DOM. It uses native scrolling, selection and
 * zoom.
 */
export function LogList(props: LogListProps) {
  const { lines, isFollowing, onFollowChange, preferences, searchIndex, current, head, scrollerRef } = props
  const { wrap, timestamps, fontSize } = preferences
  const lineHeight = getLineHeight(fontSize)
  useAnimationFrameUpdates(lines, () => searchIndex?.update(lines, searchSliceMs))
  const t = useT()
  const palette = usePalette()
  const formatTime = getTimeFormat(useFormatters(), lines)
  const timeLength = useMemo(() => getTimeLength(formatTime), [formatTime])
  const { box, columns, probe } = useBox(scrollerRef, fontSize, timestamps ? timeLength : undefined)
  const [top, setTop] = useState(0)
  const [, remeasure] = useState(0)
  const [cache] = useState(() => new RowHeightsCache())
  const heights = cache.update(lines, { columns, lineHeight, wrap, timestamps })
  const rowsRef = useRef<HTMLDivElement>(null)
  const lastTop = useRef(0)

  const above = head ? lineHeight : 0
  const total = heights.total + above + paddings
  const from = (isFollowing ? Math.max(0, total - box.height) : top) - above
  const first = Math.max(lines.first, heights.getLineAt(from) - overscan)
  const showsHead = head !== undefined && first === lines.first
  const end = Math.min(lines.end, heights.getLineAt(from + box.height) + 1 + overscan)

  useLayoutEffect(() => {
    if (!wrap || !rowsRef.current) return
    let changed = 0
    let shift = 0
    const anchor = heights.getLineAt(from)
    for (const row of rowsRef.current.children) {
      const { line } = (row as HTMLElement).dataset
      if (line === undefined) continue
      const number = Number(line)
      const difference = heights.set(number, row.getBoundingClientRect().height || lineHeight)
      if (difference !== 0) changed++
      if (number < anchor) shift += difference
    }
    if (changed === 0) return
    // Keeps the visible lines in place when lines above them are higher or lower than estimated.
    if (!isFollowing && shift !== 0 && scrollerRef.current) scrollerRef.current.scrollTop += shift
    remeasure((count) => count + 1)
  })

  useLayoutEffect(() => {
    const element = scrollerRef.current
    if (!isFollowing || !element) return
    element.scrollTop = element.scrollHeight
    lastTop.current = element.scrollTop
  })

  // Scrolls to the current match, a third from the top.
  useLayoutEffect(() => {
    const element = scrollerRef.current
    if (!current || !element) return
    const offset = heights.getOffset(current.line) + above
    if (offset >= element.scrollTop && offset + lineHeight * 2 <= element.scrollTop + element.clientHeight) return
    onFollowChange(false)
    element.scrollTop = Math.max(0, offset - element.clientHeight / 3)
    setTop(element.scrollTop)
  }, [current, heights, lineHeight, above, onFollowChange, scrollerRef])

  useEffect(() => {
    const handleSelection = () => {
      const selection = document.getSelection()
      if (!selection || selection.isCollapsed || !scrollerRef.current?.contains(selection.anchorNode)) return
      onFollowChange(false)
    }
    document.addEventListener('selectionchange', handleSelection)
    return () => document.removeEventListener('selectionchange', handleSelection)
  }, [onFollowChange, scrollerRef])

  const handleScroll = () => {
    const element = scrollerRef.current
    if (!element) return
    const isScrollingUp = element.scrollTop < lastTop.current - 1
    lastTop.current = element.scrollTop
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < lineHeight / 2
    if (isAtEnd) onFollowChange(true)
    else if (isScrollingUp) onFollowChange(false)
    setTop(element.scrollTop)
  }

  return (
    <div
      ref={scrollerRef}
      className={`${classes.scroller} ${wrap ? classes.wrap : ''}`}
      style={{ fontSize, lineHeight: `${lineHeight}px`, '--time-length': timeLength } as CSSProperties}
      role="log"
      aria-live="off"
      aria-label={t('console.Output')}
      dir="ltr"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={handleScroll}
      onKeyDown={(event) => {
        if (event.key === 'End') onFollowChange(true)
      }}
    >
      <span ref={probe} className={classes.probe} aria-hidden="true">
        {'0'.repeat(50)}
      </span>
      <div className={classes.content} style={{ height: total }}>
        <div
          ref={rowsRef}
          className={classes.rows}
          style={getPosition(heights.getOffset(first) + (showsHead ? 0 : above), total, isFollowing, box.height)}
        >
          {showsHead && head}
          {getRows(lines, first, end).map(({ number, line }) => (
            <LogRow
              key={number}
              line={line}
              number={number}
              matches={searchIndex?.getMatchesInLine(number) ?? noMatches}
              current={current?.line === number ? current.start : undefined}
              formatTime={timestamps ? formatTime : undefined}
              hidesDoubleTime={preferences.hidesDoubleTimes}
              palette={palette}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

const noMatches: readonly Match[] = []
/** The padding of `.rows` above the first and below the last line. */
const paddings = 16

/** Aligns the rows to the bottom while they do not fill the viewport, as in a terminal. */
function getPosition(offset: number, total: number, following: boolean, height: number) {
  return following || total < height ? { bottom: 0 } : { top: offset }
}

function getRows(lines: Lines, first: number, end: number): { number: number; line: Line }[] {
  const rows: { number: number; line: Line }[] = []
  for (let number = first; number < end; number++) {
    const line = lines.at(number)
    if (line) rows.push({ number, line })
  }
  return rows
}

interface Metrics {
  readonly columns: number
  readonly lineHeight: number
  readonly wrap: boolean
  readonly timestamps: boolean
}

/**
 * The heights of all lines. `update` applies the changes since the last call. It is idempotent, so that it can be called
 * while rendering.
 */
class RowHeightsCache {
  #heights: RowHeights | undefined
  #key = ''
  #last: Line | undefined

  update(lines: Lines, { columns, lineHeight, wrap, timestamps }: Metrics): RowHeights {
    const key = `${lines.rewrites} ${wrap ? columns : ''} ${lineHeight} ${timestamps}`
    if (!this.#heights || this.#key !== key || lines.first > this.#heights.end || lines.end < this.#heights.end) {
      this.#heights = new RowHeights(lines.first)
      this.#key = key
      this.#last = undefined
    }
    const heights = this.#heights
    heights.dropBefore(lines.first)
    const estimate = (line: Line | undefined) =>
      wrap ? lineHeight * Math.max(1, Math.ceil(getTextLength(line) / columns)) : lineHeight
    // The last line may have grown. If not, it keeps its measured height: a new estimate would cause another measurement
    // and render, without end.
    const last = heights.end > heights.origin ? lines.at(heights.end - 1) : undefined
    if (wrap && last && last !== this.#last) heights.set(heights.end - 1, estimate(last))
    for (let number = heights.end; number < lines.end; number++) heights.push(estimate(lines.at(number)))
    this.#last = lines.at(lines.end - 1)
    return heights
  }
}

function getTextLength(line: Line | undefined): number {
  const text = line?.text ?? ''
  return text.includes('\x1b') ? text.replace(sgr, '').length : text.length
}

/** Measures the scroller and how many characters fit in a row. */
function useBox(scrollerRef: RefObject<HTMLDivElement | null>, fontSize: number, timeLength: number | undefined) {
  const probe = useRef<HTMLSpanElement>(null)
  const [box, setBox] = useState({ width: 800, height: 600, character: fontSize * 0.6 })

  useLayoutEffect(() => {
    const element = scrollerRef.current
    if (!element) return
    const measure = () =>
      setBox({
        width: element.clientWidth || 800,
        height: element.clientHeight || 600,
        character: (probe.current?.getBoundingClientRect().width || 30 * fontSize) / 50,
      })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    if (probe.current) observer.observe(probe.current)
    return () => observer.disconnect()
  }, [scrollerRef, fontSize])

  // Timestamps have a smaller font and 24 px of space after them; rows have 32 px of padding.
  const used = timeLength === undefined ? 32 : 56 + timeLength * box.character * 0.92
  return { box, probe, columns: Math.max(10, Math.floor((box.width - used) / box.character)) }
}
