import type { Formatters } from '../../i18n/formatters.ts'
import type { StatsHistory } from '../../realtime/stats-history.ts'
import { type MemoryUnit, type Scale, type TrafficType, toUnit, trafficTypes } from './chart-data.ts'

/** The lowest upper end of the axis, in units per second. */
export const minTrafficAxis = 1

/** What cannot be measured for every server. */
export type Unmeasured = 'disk' | 'network'

export function getUnmeasured(isKnown: (type: TrafficType) => boolean): readonly Unmeasured[] {
  return (['disk', 'network'] as const).filter(
    (group) => !trafficTypes.some((type) => type.startsWith(group) && isKnown(type)),
  )
}

interface Traffic {
  /** The points of the history; those without a value are blank. */
  readonly points: StatsHistory
  readonly values: readonly number[]
  readonly measured: readonly number[]
}

/** Returns the live traffic in units per second. */
export function getTraffic(history: StatsHistory, type: TrafficType, unit: MemoryUnit): Traffic {
  return {
    points: history.map((point) => (point[type] === undefined ? { ...point, isBlank: true } : point)),
    values: history.map((point) => toUnit(point[type] ?? 0, unit)),
    measured: history.flatMap((point) => point[type] ?? []).map((bytes) => toUnit(bytes, unit)),
  }
}

/** The formats of traffic values. Axis labels have as many decimals as the steps of the scale need. */
export function getTrafficFormats({ number, inUnit, unitName }: Formatters, unit: MemoryUnit, { upper }: Scale) {
  const decimals = upper <= 1.25 ? 2 : upper <= 12.5 ? 1 : 0
  return {
    axisUnit: unitName(unit, { isRate: true }),
    formatTick: (value: number) => number(value, decimals),
    format: (value: number) => inUnit(value, unit, { decimals: 2, isRate: true }),
  }
}
