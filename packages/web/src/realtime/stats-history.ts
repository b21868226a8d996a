import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { getStatsHistory } from '@innkeeper/contract/servers/stats-history'
import type { ServerStats } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'

export const maxStatsPoints = 40

/** A measurement. `timestamp` is epoch milliseconds, memory is in bytes. */
export interface StatsPoint extends ServerStats {
  readonly timestamp: number
  /** A placeholder without measurement: before the first one, and while the server is stopped. */
  readonly isBlank?: true
}

/** The latest points, oldest first: always as many as the charts show. */
export type StatsHistory = readonly StatsPoint[]

/** A history of blank points. */
export function emptyHistory(now: number): StatsHistory {
  return Array.from({ length: maxStatsPoints }, (_, index) => ({
    timestamp: now - (maxStatsPoints - index) * limits.statsEveryMs,
    cpu: 0,
    memory: 0,
    isBlank: true,
  }))
}

/** Replaces blank points by earlier measurements. */
export function mergeHistory(history: StatsHistory, earlierPoints: StatsHistory): StatsHistory {
  const firstSeen = history.find(({ isBlank }) => !isBlank)?.timestamp ?? Number.POSITIVE_INFINITY
  const since = history[0]?.timestamp ?? 0
  const earlier = earlierPoints.filter(({ timestamp }) => timestamp >= since && timestamp < firstSeen)
  const first = earlier[0]?.timestamp ?? firstSeen
  const blanks = history.filter(
    ({ timestamp, isBlank }) => isBlank && (timestamp < first || timestamp > (earlier.at(-1)?.timestamp ?? firstSeen)),
  )
  const all = [...blanks, ...earlier, ...history.filter(({ isBlank }) => !isBlank)]
  return all.sort((a, b) => a.timestamp - b.timestamp).slice(-maxStatsPoints)
}

/** Converts the response with a history. Times without measurement have no point. */
export function toStatsPoints({
  fromMs,
  stepMs,
  cpu,
  memory,
  ...traffic
}: Pick<ResponseOf<typeof getStatsHistory>, 'fromMs' | 'stepMs' | 'cpu' | 'memory'> &
  Partial<Record<'diskRead' | 'diskWrite' | 'networkIn' | 'networkOut', readonly (number | null)[]>>): StatsHistory {
  const first = Math.max(0, cpu.length - maxStatsPoints)
  return cpu.slice(first).flatMap((value, offset): StatsPoint[] => {
    const index = first + offset
    const used = memory[index]
    if (value === null || used === null || used === undefined) return []
    const others = (['diskRead', 'diskWrite', 'networkIn', 'networkOut'] as const).flatMap((figure) => {
      const measured = traffic[figure]?.[index]
      return measured === null || measured === undefined ? [] : [[figure, measured] as const]
    })
    // A point covers the time before its timestamp.
    return [{ timestamp: fromMs + (index + 1) * stepMs, cpu: value, memory: used, ...Object.fromEntries(others) }]
  })
}

/**
 * Appends a point and removes the oldest. Points that were loaded carry the clock of the node, which may be ahead of the
 * browser's: those that claim to be later than the new point are moved to its time.
 */
export function appendPoint(history: StatsHistory, point: StatsPoint): StatsHistory {
  const earlier = history.slice(1 - maxStatsPoints)
  if ((earlier.at(-1)?.timestamp ?? 0) <= point.timestamp) return [...earlier, point]
  return [
    ...earlier.map((earlierPoint) =>
      earlierPoint.timestamp > point.timestamp ? { ...earlierPoint, timestamp: point.timestamp } : earlierPoint,
    ),
    point,
  ]
}
