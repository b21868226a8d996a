import { memo } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { type Style, spansOf } from './ansi.ts'
import type { Line } from './buffer.ts'
import { paint, type Scheme } from './color.ts'
import classes from './console.module.css'
import type { Match } from './finder.ts'
import { piecesOf } from './pieces.ts'

interface LogRowProps {
  readonly line: Line
  readonly number: number
  readonly matches: readonly Match[]
  /** Where the current match begins, when it is in this line. */
  readonly current: number | undefined
  readonly timestamps: boolean
  readonly scheme: Scheme
}

/** One line of a console: text nodes and colours, nothing else that a program could ask for. */
export const LogRow = memo(function LogRow({ line, number, matches, current, timestamps, scheme }: LogRowProps) {
  const { spans } = spansOf(line.text, line.style)
  return (
    <div className={`${classes.line} ${classes[line.kind]}`} data-line={number}>
      {timestamps && (line.time === undefined ? <span className={classes.time} /> : <Time seconds={line.time} />)}
      <span className={classes.text}>
        {line.kind === 'daemon' && <b className={classes.tag}>DAEMON</b>}
        {line.kind === 'command' && <span className={classes.prompt}>{`${line.author}> `}</span>}
        {line.kind === 'gap' && <Gap bytes={line.bytes} />}
        {piecesOf(spans, matches).map(({ text, style, start, match, href }) => {
          const marked = match === undefined ? '' : match === current ? classes.current : classes.match
          const look = {
            className: `${lettersOf(style)} ${marked}`.trim() || undefined,
            style: marked ? undefined : paint(style, scheme),
          }
          return href === undefined ? (
            <span key={start} {...look}>
              {text}
            </span>
          ) : (
            <a key={start} {...look} href={href} target="_blank" rel="noreferrer noopener">
              {text}
            </a>
          )
        })}
      </span>
    </div>
  )
})

function Gap({ bytes }: { bytes: number }) {
  const t = useT()
  const { bytes: size } = useFormatters()
  return <span className={classes.quiet}>{t('console.Gap', { size: size(bytes) })}</span>
}

function Time({ seconds }: { seconds: number }) {
  const { time } = useFormatters()
  const date = new Date(seconds * 1000)
  return (
    <time className={classes.time} dateTime={date.toISOString()} title={date.toISOString()}>
      {time(date.getTime())}
    </time>
  )
}

function lettersOf(style: Style): string {
  const forms = [
    style.bold && classes.bold,
    style.dim && classes.dim,
    style.italic && classes.italic,
    style.underline && classes.underline,
    style.strike && classes.strike,
  ]
  return forms.filter(Boolean).join(' ')
}
