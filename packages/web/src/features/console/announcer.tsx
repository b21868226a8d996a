import { VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { textOf } from './ansi.ts'
import type { ConsoleBuffer } from './buffer.ts'

/** A screen reader can follow so much; what came faster is counted. */
const announceEveryMs = 2_000
const mostLines = 3

/** Reads new lines to people who asked for it: a few as they are, many as their number. */
export function Announcer({ buffer }: { buffer: ConsoleBuffer }) {
  const t = useT()
  const { number } = useFormatters()
  const [said, setSaid] = useState('')
  const readTo = useRef(buffer.end)

  useEffect(() => {
    readTo.current = buffer.end
    const timer = setInterval(() => {
      const from = Math.max(readTo.current, buffer.first)
      const count = buffer.end - from
      readTo.current = buffer.end
      if (count <= 0) return
      const lines = Array.from({ length: Math.min(count, mostLines) }, (_, index) =>
        textOf(buffer.at(from + index)?.text ?? ''),
      )
      setSaid(count > mostLines ? t('console.MoreLines', { count, lines: number(count) }) : lines.join('\n'))
    }, announceEveryMs)
    return () => clearInterval(timer)
  }, [buffer, t, number])

  return (
    <VisuallyHidden role="status" aria-live="polite">
      {said}
    </VisuallyHidden>
  )
}
