import { memo } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { parseLine, type Style } from './ansi.ts'
import type { Line } from './buffer.ts'
import { type Palette, toCss } from './color.ts'
import classes from './console.module.css'
import type { Match } from './search-index.ts'
import { toSegments } from './segments.ts'

interface LogRowProps {
  readonly line: Line
  readonly number: number
  readonly matches: readonly Match[]
  /** The start of the current match, when it is in this line. */
  readonly current: number | undefined
  /** Absent: no timestamps. */
  readonly formatTime: ((time: number) => string) | undefined
  /** Shows no time when the line begins with one of its own. */
  readonly hidesDoubleTime: boolean
  readonly palette: Palette
}

/** One line of the console. Program output is rendered as text nodes and styles only, never as HTML. */
export const LogRow = memo(function LogRow({
  line,
  number,
  matches,
  current,
  formatTime,
  hidesDoubleTime,
  palette,
}: LogRowProps) {
  const { spans } = parseLine(line.text, line.style)
  const hidesTime = hidesDoubleTime && beginsWithTime(spans)
  return (
    <div className={`${classes.line} ${classes[line.type]}`} data-line={number}>
      {formatTime && <Time seconds={hidesTime ? undefined : line.time} format={formatTime} />}
      <span className={classes.text}>
        {line.type === 'daemon' && <b className={classes.daemonTag}>DAEMON</b>}
        {line.type === 'command' && <span className={classes.author}>{`${line.author}> `}</span>}
        {line.type === 'gap' && <Gap bytes={line.bytes} />}
        {toSegments(spans, matches).map(({ text, style, start, match, href }) => {
          const mark = match === undefined ? '' : match === current ? classes.current : classes.match
          const props = {
            className: `${getTextClasses(style)} ${mark}`.trim() || undefined,
            style: mark ? undefined : toCss(style, palette),
          }
          return href === undefined ? (
            <span key={start} {...props}>
              {text}
            </span>
          ) : (
            <a key={start} {...props} href={href} target="_blank" rel="noreferrer noopener">
              {text}
            </a>
          )
        })}
      </span>
    </div>
  )
})

/** How far into a line its own time may begin and end, in characters: `[2026-11-24 12:00:00 INFO]`. */
const ownTimeLength = 32

function beginsWithTime(spans: readonly { readonly text: string }[]): boolean {
  const start = spans
    .map(({ text }) => text)
    .join('')
    .slice(0, ownTimeLength)
  return /^[^A-Za-z]*\d{1,2}:\d{2}:\d{2}/.test(start)
}

function Gap({ bytes }: { bytes: number }) {
  const t = useT()
  const { fileSize: size } = useFormatters()
  return <span className={classes.note}>{t('console.Gap', { size: size(bytes) })}</span>
}

function Time({ seconds, format }: { seconds: number | undefined; format: (time: number) => string }) {
  if (seconds === undefined) return <span className={classes.time} />
  const time = seconds * 1000
  return (
    <time className={classes.time} dateTime={new Date(time).toISOString()}>
      {format(time)}
    </time>
  )
}

function getTextClasses(style: Style): string {
  return [
    style.bold && classes.bold,
    style.dim && classes.dim,
    style.italic && classes.italic,
    style.underline && classes.underline,
    style.strike && classes.strike,
  ]
    .filter(Boolean)
    .join(' ')
}
