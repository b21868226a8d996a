import type { AnswerOf } from '@innkeeper/contract/call'
import { limits } from '@innkeeper/contract/limits'
import type { getStatsHistory } from '@innkeeper/contract/stats-history'
import type { ServerStats } from '@innkeeper/contract/status'

/** What a server used at one moment. `at` is epoch milliseconds; memory in bytes. */
export interface StatsPoint extends ServerStats {
  readonly at: number
  /** Nothing was measured: the time before anything is known, and while the server does not run. */
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

/** The history with what was measured earlier in the place of its blanks. */
export function withPast(history: StatsHistory, past: StatsHistory): StatsHistory {
  const firstSeen = history.find(({ isBlank }) => !isBlank)?.at ?? Number.POSITIVE_INFINITY
  const since = history[0]?.at ?? 0
  const earlier = past.filter(({ at }) => at >= since && at < firstSeen)
  const first = earlier[0]?.at ?? firstSeen
  const blanks = history.filter(({ at, isBlank }) => isBlank && (at < first || at > (earlier.at(-1)?.at ?? firstSeen)))
  const all = [...blanks, ...earlier, ...history.filter(({ isBlank }) => !isBlank)]
  return all.sort((a, b) => a.at - b.at).slice(-limits.statsPoints)
}

/** The points of a history call; where nothing was measured there is none. */
export function pointsOf({
  fromMs,
  stepMs,
  cpu,
  memory,
  ...traffic
}: Pick<AnswerOf<typeof getStatsHistory>, 'fromMs' | 'stepMs' | 'cpu' | 'memory'> &
  Partial<Record<'diskRead' | 'diskWrite' | 'networkIn' | 'networkOut', readonly (number | null)[]>>): StatsHistory {
  const first = Math.max(0, cpu.length - limits.statsPoints)
  return cpu.slice(first).flatMap((value, offset): StatsPoint[] => {
    const index = first + offset
    const used = memory[index]
    if (value === null || used === null || used === undefined) return []
    const others = (['diskRead', 'diskWrite', 'networkIn', 'networkOut'] as const).flatMap((figure) => {
      const measured = traffic[figure]?.[index]
      return measured === null || measured === undefined ? [] : [[figure, measured] as const]
    })
    // A point tells of the time up to its end.
    return [{ at: fromMs + (index + 1) * stepMs, cpu: value, memory: used, ...Object.fromEntries(others) }]
  })
}

/** The history with one more point, and the oldest gone. */
export function withPoint(history: StatsHistory, point: StatsPoint): StatsHistory {
  return [...history.slice(1 - limits.statsPoints), point]
}
