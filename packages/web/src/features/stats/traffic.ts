import type { ServerStats } from '@innkeeper/contract/status'
import type { Formatters } from '../../i18n/formatters.ts'
import type { StatsHistory } from '../../realtime/stats-history.ts'
import { inUnit, type MemoryUnit, type Scale } from './scale.ts'
import type { StatsChart } from './stats-charts.tsx'

/** What goes to and from a server, as the charts are in order. */
export const trafficFigures = ['diskRead', 'diskWrite', 'networkIn', 'networkOut'] as const
export type TrafficFigure = (typeof trafficFigures)[number]

/** The charts never end lower than at one unit a second, so that little traffic looks little. */
export const leastTraffic = 1

/** What no environment can tell of every server, by what a person reads about it. */
export type Unmeasured = 'disk' | 'network'

export function unmeasuredIn(isKnown: (figure: TrafficFigure) => boolean): readonly Unmeasured[] {
  return (['disk', 'network'] as const).filter(
    (kind) => !trafficFigures.some((figure) => figure.startsWith(kind) && isKnown(figure)),
  )
}

/** A figure of the last minutes in a unit a second; where it is not known nobody looked. */
export function trafficOf(
  history: StatsHistory,
  figure: TrafficFigure,
  unit: MemoryUnit,
): { readonly points: StatsHistory; readonly values: readonly number[]; readonly seen: readonly number[] } {
  const known = (stats: ServerStats) => stats[figure]
  return {
    points: history.map((point) => (known(point) === undefined ? { ...point, isBlank: true } : point)),
    values: history.map((point) => inUnit(known(point) ?? 0, unit)),
    seen: history.flatMap((point) => known(point) ?? []).map((bytes) => inUnit(bytes, unit)),
  }
}

/** How traffic is written: on the axis with as many decimals as its steps need. */
export function trafficTexts(
  unit: MemoryUnit,
  { upper }: Scale,
  { number }: Pick<Formatters, 'number'>,
): Pick<StatsChart, 'tick' | 'format'> {
  const decimals = upper <= 1.25 ? 2 : upper <= 12.5 ? 1 : 0
  return { tick: (value) => number(value, decimals), format: (value) => `${number(value, 2)} ${unit}/s` }
}
