import { useEffect, useState } from 'react'

/** How often an age changes that is told in seconds, in minutes, in hours. */
const steps = [
  { below: 60_000, everyMs: 5_000 },
  { below: 60 * 60_000, everyMs: 30_000 },
  { below: Number.POSITIVE_INFINITY, everyMs: 5 * 60_000 },
] as const

/** The time now, for telling how long ago `time` was: it goes on as often as that changes. */
export function useNow(time: number): number {
  const [now, setNow] = useState(Date.now)
  const everyMs = steps.find(({ below }) => now - time < below)?.everyMs
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs)
    return () => window.clearInterval(timer)
  }, [everyMs])
  return Math.max(now, time)
}
