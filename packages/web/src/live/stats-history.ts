import { limits } from '@innkeeper/contract/limits'
import type { ServerStats } from '@innkeeper/contract/status'

/** What a server used at one moment. `at` is epoch milliseconds; memory in bytes. */
export interface StatsPoint extends ServerStats {
  readonly at: number
  /** Stands for the time before the page was opened, when nobody looked. */
  readonly isBlank?: true
}

/** The last points, oldest first: always as many as the charts show. */
export type StatsHistory = readonly StatsPoint[]

/** The history of a page that was just opened: blank. */
export function emptyHistory(now: number): StatsHistory {
  return Array.from({ length: limits.statsPoints }, (_, index) => ({
    at: now - (limits.statsPoints - index) * limits.statsEveryMs,
    cpu: 0,
    memory: 0,
    isBlank: true,
  }))
}

/** The history with one more point, and the oldest gone. */
export function withPoint(history: StatsHistory, point: StatsPoint): StatsHistory {
  return [...history.slice(1 - limits.statsPoints), point]
}
