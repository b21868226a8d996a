import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { getPlayerHistory } from '@innkeeper/contract/servers/players'

const weekMs = 7 * 24 * 60 * 60_000
/** Points of the line of a week: one for four hours. */
const pointMs = 4 * 60 * 60_000

/** The highest numbers of players of the last seven days, for each four hours and for all; 0 where nothing is known. */
export function getWeek({ stepMs, playersPeak }: ResponseOf<typeof getPlayerHistory>): {
  readonly values: readonly number[]
  readonly peak: number
} {
  const latest = playersPeak.slice(-weekMs / stepMs).map((value) => value ?? 0)
  const perPoint = pointMs / stepMs
  const values = Array.from({ length: Math.ceil(latest.length / perPoint) }, (_, index) =>
    Math.max(0, ...latest.slice(index * perPoint, (index + 1) * perPoint)),
  )
  return { values, peak: Math.max(0, ...latest) }
}
