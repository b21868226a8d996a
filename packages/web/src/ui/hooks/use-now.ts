import { useEffect, useState } from 'react'

/** How often a relative time changes: shown in seconds, minutes, hours. */
const steps = [
  { below: 60_000, everyMs: 5_000 },
  { below: 60 * 60_000, everyMs: 30_000 },
  { below: Number.POSITIVE_INFINITY, everyMs: 5 * 60_000 },
] as const

/**
 * The current time, at least `time`, updated as often as a relative time of `time` changes or every `intervalMs`. All are
 * milliseconds.
 */
export function useNow(time: number, intervalMs?: number): number {
  const [now, setNow] = useState(Date.now)
  const everyMs = intervalMs ?? steps.find(({ below }) => now - time < below)?.everyMs
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs)
    return () => window.clearInterval(timer)
  }, [everyMs])
  return Math.max(now, time)
}
