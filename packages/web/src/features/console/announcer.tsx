import { VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { stripAnsi } from './ansi.ts'
import type { ConsoleBuffer } from './buffer.ts'

const announceEveryMs = 2_000
/** When more lines arrive within the interval, only their number is announced. */
const maxLines = 3

/** Announces new lines to screen readers. */
export function Announcer({ buffer }: { buffer: ConsoleBuffer }) {
  const t = useT()
  const { number } = useFormatters()
  const [announcement, setAnnouncement] = useState('')
  const announcedTo = useRef(buffer.end)

  useEffect(() => {
    announcedTo.current = buffer.end
    const timer = setInterval(() => {
      const first = Math.max(announcedTo.current, buffer.first)
      const count = buffer.end - first
      announcedTo.current = buffer.end
      if (count <= 0) return
      const lines = Array.from({ length: Math.min(count, maxLines) }, (_, index) =>
        stripAnsi(buffer.at(first + index)?.text ?? ''),
      )
      setAnnouncement(count > maxLines ? t('console.MoreLines', { count, lines: number(count) }) : lines.join('\n'))
    }, announceEveryMs)
    return () => clearInterval(timer)
  }, [buffer, t, number])

  return (
    <VisuallyHidden role="status" aria-live="polite">
      {announcement}
    </VisuallyHidden>
  )
}
