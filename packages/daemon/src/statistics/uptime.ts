import { statsRanges, uptimeDays } from '@innkeeper/contract/servers/stats-history'
import { limits } from '@innkeeper/contract/text/limits'
import type { Bucket } from './buckets.ts'

/** The part of each day in which a server ran, from 0 to 1; `null` before anything was measured. */
export interface Uptime {
  /** Start of the first day, epoch milliseconds. */
  readonly fromMs: number
  readonly days: (number | null)[]
}

type Measured = Pick<Bucket, 'number' | 'count'>

interface Buckets {
  readonly year: readonly Measured[]
  /** For the time of the first measurement. */
  readonly month: readonly Measured[]
  readonly day: readonly Measured[]
}

const { stepMs } = statsRanges.year
const dayMs = 24 * 60 * 60 * 1000

/** The uptime in the days (UTC) until now: a running server is measured regularly. */
export function getUptime(buckets: Buckets, now: number): Uptime {
  const fromMs = (Math.floor(now / dayMs) - uptimeDays + 1) * dayMs
  const firstMs = findFirst(buckets)
  const days = Array.from({ length: uptimeDays }, (_, index) => {
    const begin = fromMs + index * dayMs
    const known = Math.min(begin + dayMs, now) - Math.max(begin, firstMs)
    if (known <= 0) return null
    const ofDay = buckets.year.filter(({ number }) => number * stepMs >= begin && number * stepMs < begin + dayMs)
    const ranMs = ofDay.reduce((sum, { count }) => sum + Math.min(count * limits.statsEveryMs, stepMs), 0)
    return Math.min(1, Math.round((ranMs / known) * 1_000) / 1_000)
  })
  return { fromMs, days }
}

/** When the server was first measured, as exactly as a range tells that reaches so far back. */
function findFirst(buckets: Buckets): number {
  const [year, month, day] = (['year', 'month', 'day'] as const).map((range) =>
    Math.min(...buckets[range].map(({ number }) => number * statsRanges[range].stepMs)),
  ) as [number, number, number]
  const isSame = (first: number) => first < year + stepMs
  return [day, month].find(isSame) ?? year
}
