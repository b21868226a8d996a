import { useComputedColorScheme } from '@mantine/core'
import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import type { Line, Lines } from './buffer.ts'
import classes from './console.module.css'
import type { Finder, Match } from './finder.ts'
import { Heights } from './heights.ts'
import { LogRow } from './log-row.tsx'
import { useFrames } from './use-lines.ts'

interface LogListProps {
  readonly lines: Lines
  /** Whether the newest line stays in view. */
  readonly following: boolean
  /** The reader scrolled up or selected text (false), or reached the end (true). */
  readonly onFollow: (following: boolean) => void
  readonly wrap: boolean
  readonly timestamps: boolean
  readonly fontSize: number
  readonly lineHeight: number
  readonly finder: Finder | undefined
  readonly current: Match | undefined
  /** Stands before the first line. */
  readonly head?: ReactNode
  readonly scroller: RefObject<HTMLDivElement | null>
}

/** Lines beyond the edges that are there before a scroll shows them. */
const overscan = 12
const sgr = /\x1b\[[\d;:]*m/g

/**
 * A console's lines, of which only those in sight exist. It scrolls, selects and zooms as the system does; a new line
 * costs what is in sight, however many arrive.
 */
export function LogList(props: LogListProps) {
  const { lines, following, onFollow, wrap, timestamps, fontSize, lineHeight, finder, current, head, scroller } = props
  useFrames(lines, () => finder?.look(lines))
  const t = useT()
  const scheme = useComputedColorScheme('dark')
  const { timeLength } = useFormatters()
  const { box, columns, probe } = useBox(scroller, fontSize, timestamps ? timeLength : undefined)
  const [top, setTop] = useState(0)
  const [, remeasure] = useState(0)
  const [cache] = useState(() => new HeightsCache())
  const heights = cache.heightsOf(lines, { columns, lineHeight, wrap, timestamps })
  const body = useRef<HTMLDivElement>(null)
  const lastTop = useRef(0)

  const above = head ? lineHeight : 0
  const total = heights.total + above + paddings
  const from = (following ? Math.max(0, total - box.height) : top) - above
  const first = Math.max(lines.first, heights.lineAt(from) - overscan)
  const showsHead = head !== undefined && first === lines.first
  const behind = Math.min(lines.end, heights.lineAt(from + box.height) + 1 + overscan)

  useLayoutEffect(() => {
    if (!wrap || !body.current) return
    let moved = 0
    let higher = 0
    const anchor = heights.lineAt(from)
    for (const row of body.current.children) {
      const { line } = (row as HTMLElement).dataset
      if (line === undefined) continue
      const number = Number(line)
      const difference = heights.set(number, row.getBoundingClientRect().height || lineHeight)
      if (difference !== 0) moved++
      if (number < anchor) higher += difference
    }
    if (moved === 0) return
    // What is read stays where it is when lines above turn out higher or lower than believed.
    if (!following && higher !== 0 && scroller.current) scroller.current.scrollTop += higher
    remeasure((times) => times + 1)
  })

  useLayoutEffect(() => {
    const element = scroller.current
    if (!following || !element) return
    element.scrollTop = element.scrollHeight
    lastTop.current = element.scrollTop
  })

  // A match that was asked for comes into sight, a third from the top.
  useLayoutEffect(() => {
    const element = scroller.current
    if (!current || !element) return
    const place = heights.offsetOf(current.line) + above
    if (place >= element.scrollTop && place + lineHeight * 2 <= element.scrollTop + element.clientHeight) return
    onFollow(false)
    element.scrollTop = Math.max(0, place - element.clientHeight / 3)
    setTop(element.scrollTop)
  }, [current, heights, lineHeight, above, onFollow, scroller])

  useEffect(() => {
    const selected = () => {
      const selection = document.getSelection()
      if (!selection || selection.isCollapsed || !scroller.current?.contains(selection.anchorNode)) return
      onFollow(false)
    }
    document.addEventListener('selectionchange', selected)
    return () => document.removeEventListener('selectionchange', selected)
  }, [onFollow, scroller])

  const scrolled = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const wentUp = element.scrollTop < lastTop.current - 1
    lastTop.current = element.scrollTop
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < lineHeight / 2
    if (isAtEnd) onFollow(true)
    else if (wentUp) onFollow(false)
    setTop(element.scrollTop)
  }, [lineHeight, onFollow, scroller])

  return (
    <div
      ref={scroller}
      className={`${classes.scroller} ${wrap ? classes.wrap : ''}`}
      style={{ fontSize, lineHeight: `${lineHeight}px`, '--time-length': timeLength } as CSSProperties}
      role="log"
      aria-live="off"
      aria-label={t('console.Output')}
      dir="ltr"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={scrolled}
      onKeyDown={(event) => {
        if (event.key === 'End') onFollow(true)
      }}
    >
      <span ref={probe} className={classes.probe} aria-hidden="true">
        {'0'.repeat(50)}
      </span>
      <div className={classes.space} style={{ height: total }}>
        <div
          ref={body}
          className={classes.body}
          style={place(heights.offsetOf(first) + (showsHead ? 0 : above), total, following, box.height)}
        >
          {showsHead && head}
          {rows(lines, first, behind).map(({ number, line }) => (
            <LogRow
              key={number}
              line={line}
              number={number}
              matches={finder?.inLine(number) ?? noMatches}
              current={current?.line === number ? current.start : undefined}
              timestamps={timestamps}
              scheme={scheme}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

const noMatches: readonly Match[] = []
/** Above the first and below the last line; `.body` has it too. */
const paddings = 16

/** Few lines stand at the bottom, beside the input, as in a terminal. */
function place(offset: number, total: number, following: boolean, height: number) {
  return following || total < height ? { bottom: 0 } : { top: offset }
}

function rows(lines: Lines, first: number, behind: number): { number: number; line: Line }[] {
  const shown: { number: number; line: Line }[] = []
  for (let number = first; number < behind; number++) {
    const line = lines.at(number)
    if (line) shown.push({ number, line })
  }
  return shown
}

interface Measures {
  readonly columns: number
  readonly lineHeight: number
  readonly wrap: boolean
  readonly timestamps: boolean
}

/**
 * The heights of all lines. `heightsOf` takes over what changed since the last call; called again with the same lines and
 * measures it changes nothing, so it may be called while rendering.
 */
class HeightsCache {
  #heights: Heights | undefined
  #key = ''
  #last: Line | undefined

  heightsOf(lines: Lines, { columns, lineHeight, wrap, timestamps }: Measures): Heights {
    const key = `${lines.rewrites} ${wrap ? columns : ''} ${lineHeight} ${timestamps}`
    if (!this.#heights || this.#key !== key || lines.first > this.#heights.end || lines.end < this.#heights.end) {
      this.#heights = new Heights(lines.first)
      this.#key = key
      this.#last = undefined
    }
    const heights = this.#heights
    heights.dropBefore(lines.first)
    const guess = (line: Line | undefined) =>
      wrap ? lineHeight * Math.max(1, Math.ceil(lengthOf(line) / columns)) : lineHeight
    // The last line may have grown since. One that did not keeps its measured height: guessing it again would have it
    // measured again, without end.
    const grown = heights.end > heights.origin ? lines.at(heights.end - 1) : undefined
    if (wrap && grown && grown !== this.#last) heights.set(heights.end - 1, guess(grown))
    for (let number = heights.end; number < lines.end; number++) heights.push(guess(lines.at(number)))
    this.#last = lines.at(lines.end - 1)
    return heights
  }
}

function lengthOf(line: Line | undefined): number {
  const text = line?.text ?? ''
  return text.includes('\x1b') ? text.replace(sgr, '').length : text.length
}

/** The size of the scroller, and how many characters fit in a row. */
function useBox(scroller: RefObject<HTMLDivElement | null>, fontSize: number, timeLength: number | undefined) {
  const probe = useRef<HTMLSpanElement>(null)
  const [box, setBox] = useState({ width: 800, height: 600, character: fontSize * 0.6 })

  useLayoutEffect(() => {
    const element = scroller.current
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
  }, [scroller, fontSize])

  // The column of times is set in slightly smaller letters, with 24 px behind it.
  const beside = timeLength === undefined ? 30 : 54 + timeLength * box.character * 0.92
  return { box, probe, columns: Math.max(10, Math.floor((box.width - beside) / box.character)) }
}
