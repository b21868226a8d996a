import { statsRanges, uptimeDays } from '@innkeeper/contract/servers/stats-history'
import { limits } from '@innkeeper/contract/text/limits'
import type { Bucket } from './buckets.ts'

/** The part of each day in which a server ran, from 0 to 1; `null` before anything was measured. */
export interface Uptime {
  /** Start of the first day, epoch milliseconds. */
  readonly fromMs: number
  readonly days: (number | null)[]
}

const { stepMs } = statsRanges.year
const dayMs = 24 * 60 * 60 * 1000

/** The uptime in the days (UTC) until now, from the buckets of the last year: a running server is measured regularly. */
export function getUptime(buckets: readonly Pick<Bucket, 'number' | 'count'>[], now: number): Uptime {
  const fromMs = (Math.floor(now / dayMs) - uptimeDays + 1) * dayMs
  const firstMs = Math.min(...buckets.map(({ number }) => number * stepMs))
  const days = Array.from({ length: uptimeDays }, (_, index) => {
    const begin = fromMs + index * dayMs
    const known = Math.min(begin + dayMs, now) - Math.max(begin, firstMs)
    if (known <= 0) return null
    const ofDay = buckets.filter(({ number }) => number * stepMs >= begin && number * stepMs < begin + dayMs)
    const ranMs = ofDay.reduce((sum, { count }) => sum + Math.min(count * limits.statsEveryMs, stepMs), 0)
    return Math.min(1, Math.round((ranMs / known) * 1_000) / 1_000)
  })
  return { fromMs, days }
}
