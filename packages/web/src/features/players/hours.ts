import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { getPlayerHistory } from '@innkeeper/contract/servers/players'

/** The players of an hour of a weekday, over some weeks. */
export interface PlayerHour {
  readonly weekday: number
  readonly hour: number
  /** `null` where nothing is known. */
  readonly average: number | null
  readonly peak: number | null
}

/** The hours of a week in the time zone of the browser, from Sunday on. */
export function getPlayerHours({
  fromMs,
  stepMs,
  players,
  playersPeak,
}: ResponseOf<typeof getPlayerHistory>): readonly PlayerHour[] {
  const sums = Array.from({ length: 7 * 24 }, () => ({ sum: 0, count: 0, peak: 0 }))
  for (const [index, value] of players.entries()) {
    const at = new Date(fromMs + index * stepMs)
    const hour = sums[at.getDay() * 24 + at.getHours()]
    if (value === null || !hour) continue
    hour.sum += value
    hour.count++
    hour.peak = Math.max(hour.peak, playersPeak[index] ?? value)
  }
  return sums.map(({ sum, count, peak }, index) => ({
    weekday: Math.floor(index / 24),
    hour: index % 24,
    average: count === 0 ? null : sum / count,
    peak: count === 0 ? null : peak,
  }))
}
