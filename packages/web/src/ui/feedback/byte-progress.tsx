import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { startRate, updateRate } from '../text/transfer-rate.ts'

interface ByteProgressProps {
  readonly bytes: number | undefined
  /** Missing or 0 while it is unknown. */
  readonly totalBytes: number | undefined
}

/** How far a job is, and how fast; nothing until it has read something. */
export function ByteProgress({ bytes = 0, totalBytes = 0 }: ByteProgressProps) {
  const t = useT()
  const { fileSize, rate: toRateText } = useFormatters()
  const [rate, setRate] = useState(() => startRate(Date.now()))
  // During rendering: each poll that brings other figures is a sample.
  if (bytes !== rate.sent) setRate(updateRate(rate, { sent: bytes, timestamp: Date.now() }))
  if (bytes <= 0) return null
  const { bytesPerSecond } = rate
  return (
    <>
      {totalBytes > 0 ? t('files.Of', { done: fileSize(bytes), total: fileSize(totalBytes) }) : fileSize(bytes)}
      {bytesPerSecond !== undefined && ` · ${toRateText(bytesPerSecond)}`}
    </>
  )
}
