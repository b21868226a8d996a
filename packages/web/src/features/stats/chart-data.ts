import { limits } from '@innkeeper/contract/text/limits'
import type { SizeUnit } from '../../i18n/formatters.ts'
import type { TranslationKey } from '../../i18n/i18n.tsx'
import { maxStatsPoints, type StatsHistory } from '../../realtime/stats-history.ts'
import type { Point } from '../../ui/layout/area-line.tsx'

/** The vertical axis of a chart: from 0 to `upper`. */
export interface Scale {
  readonly upper: number
  readonly ticks: readonly number[]
}

/** A value with its position in the chart: `x` and `y` from 0 to 1, `y` from the bottom. */
export interface DataPoint extends Point {
  readonly timestamp: number
  readonly value: number
  /** Nothing was measured: the point only takes its time on the axis. */
  readonly isHidden?: boolean
}

/** A part of a line without gaps; coordinates from 0 to 1. */
export type Segment = readonly Point[]

export interface ChartLine {
  readonly segments: readonly Segment[]
  /** Drawn dashed: nothing was measured there, and the specification asks for a line at zero. */
  readonly assumed?: readonly Segment[]
  /** The highest value within the time step of each point. */
  readonly peaks?: readonly Segment[]
  readonly points: readonly DataPoint[]
}

/** A label of the time axis; `position` from 0 (oldest) to 1 (newest). */
export interface AxisTick {
  readonly position: number
  readonly label: string
}

export type MemoryUnit = SizeUnit & ('MB' | 'MiB')
export const memoryUnits: readonly MemoryUnit[] = ['MB', 'MiB']

/** The lowest upper ends of the axes: high enough that small values look small, or fitted to the values. */
export function getMinAxes(unit: MemoryUnit, isFitted: boolean): { readonly cpu: number; readonly memory: number } {
  return isFitted ? { cpu: 5, memory: 5 } : { cpu: 100, memory: unit === 'MB' ? 1000 : 1025 }
}

export function toUnit(bytes: number, unit: MemoryUnit): number {
  return unit === 'MB' ? bytes / 1000 ** 2 : bytes / 1024 ** 2
}

/** Returns a scale from 0 to `min` or more that fits all values, with about five round steps. */
export function createScale(values: readonly number[], min: number): Scale {
  const highest = Math.max(0, ...values)
  const step = roundUpStep(Math.max(highest, min) / 5)
  const upper = highest <= min ? min : Math.ceil(highest / step) * step
  const ticks = Array.from({ length: Math.floor(upper / step) + 1 }, (_, index) => index * step)
  return { upper, ticks }
}

function roundUpStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step))
  return ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= step - 1e-9) ?? 10) * power
}

export interface Summary {
  readonly now: number
  readonly average: number
  readonly peak: number
}

export function summarize(values: readonly number[]): Summary {
  return { now: values.at(-1) ?? 0, average: getAverage(values), peak: Math.max(0, ...values) }
}

/** Returns 0 without values. */
export function getAverage(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The time range of the live charts. */
export const windowMs = (maxStatsPoints - 1) * limits.statsEveryMs

/** Removes points that are older than the time range. After a pause of the page these can be many. */
export function withinWindow(history: StatsHistory): StatsHistory {
  const end = history.at(-1)?.timestamp ?? 0
  return history.filter(({ timestamp }) => timestamp >= end - windowMs - limits.statsEveryMs / 2)
}

/** Converts live values to segments. The line is interrupted by a pause of the page and by points that are filtered out. */
export function toSegments(
  history: StatsHistory,
  values: readonly number[],
  upper: number,
  filter?: 'measured' | 'blank',
): readonly Segment[] {
  const end = history.at(-1)?.timestamp ?? 0
  const segments: Point[][] = []
  let previous: number | undefined
  for (const [index, { timestamp, isBlank }] of history.entries()) {
    if (filter !== undefined && filter !== (isBlank ? 'blank' : 'measured')) continue
    const point = {
      x: Math.max(0, 1 - (end - timestamp) / windowMs),
      y: Math.min(1, (values[index] ?? 0) / upper),
    }
    if (previous !== undefined && timestamp - previous <= 3 * limits.statsEveryMs) segments.at(-1)?.push(point)
    else segments.push([point])
    previous = timestamp
  }
  return segments
}

/** The line of the live chart. With `withBlanks` it continues as a dashed line where nothing was measured. */
export function createLiveLine(
  history: StatsHistory,
  values: readonly number[],
  upper: number,
  { withBlanks }: { readonly withBlanks: boolean },
): ChartLine {
  const all = toSegments(history, values, upper).flat()
  return {
    segments: toSegments(history, values, upper, 'measured'),
    ...(withBlanks && { assumed: toSegments(history, values, upper, 'blank') }),
    points: all.map((point, index) => ({
      ...point,
      timestamp: history[index]?.timestamp ?? 0,
      value: values[index] ?? 0,
      isHidden: history[index]?.isBlank === true,
    })),
  }
}

const tickPositions = [0, 0.25, 0.5, 0.75, 1]

/** The labels below the live charts: `-1:30` … `now`. */
export function getLiveTicks(now: string, formatDuration: (ms: number) => string): readonly AxisTick[] {
  return tickPositions.map((position) => ({
    position,
    // To ten seconds: the time range is one point short of two minutes.
    label: position === 1 ? now : `-${formatDuration(Math.round(((1 - position) * windowMs) / 10_000) * 10_000)}`,
  }))
}

/** The labels below a chart of the past. */
export function getPastTicks(from: number, to: number, format: (timestamp: number) => string): readonly AxisTick[] {
  return tickPositions.map((position) => ({ position, label: format(from + position * (to - from)) }))
}

/** Values at equal steps; `null` where nothing was measured. */
export interface TimeSeries {
  readonly from: number
  readonly stepMs: number
  readonly values: readonly (number | null)[]
  readonly peaks: readonly (number | null)[]
}

/** The most points of a chart; longer series are downsampled. */
const maxPoints = 360

/** Merges neighboring points: averages of the measured values, and the highest peak. */
export function downsample({ from, stepMs, values, peaks }: TimeSeries): TimeSeries {
  const factor = Math.ceil(values.length / maxPoints)
  if (factor <= 1) return { from, stepMs, values, peaks }
  const merge = (list: readonly (number | null)[], combine: (group: readonly number[]) => number) =>
    Array.from({ length: Math.ceil(list.length / factor) }, (_, index) => {
      const group = list.slice(index * factor, (index + 1) * factor).filter((value) => value !== null)
      return group.length === 0 ? null : combine(group)
    })
  return {
    from,
    stepMs: stepMs * factor,
    values: merge(values, getAverage),
    peaks: merge(peaks, (group) => Math.max(...group)),
  }
}

/** The line of a chart of the past. */
export function createHistoryLine({ from, stepMs, values, peaks }: TimeSeries, upper: number): ChartLine {
  const toPoint = (value: number, index: number): Point => ({
    x: values.length > 1 ? index / (values.length - 1) : 1,
    y: Math.min(1, value / upper),
  })
  return {
    segments: toKnownSegments(values, toPoint),
    peaks: toKnownSegments(peaks, toPoint),
    points: values.flatMap((value, index) =>
      value === null ? [] : [{ ...toPoint(value, index), timestamp: from + index * stepMs, value }],
    ),
  }
}

function toKnownSegments(
  values: readonly (number | null)[],
  toPoint: (value: number, index: number) => Point,
): readonly Segment[] {
  const segments: Point[][] = []
  for (const [index, value] of values.entries()) {
    if (value === null) continue
    const point = toPoint(value, index)
    if (index > 0 && values[index - 1] !== null) segments.at(-1)?.push(point)
    else segments.push([point])
  }
  return segments
}

/** Data transfer of a server, in the order of the charts. */
export const trafficTypes = ['diskRead', 'diskWrite', 'networkIn', 'networkOut'] as const
export type TrafficType = (typeof trafficTypes)[number]

export type ChartType = 'cpu' | 'memory' | 'players' | TrafficType

export const chartNames: Readonly<Record<ChartType, TranslationKey>> = {
  cpu: 'common.Cpu',
  memory: 'common.Memory',
  players: 'common.Players',
  diskRead: 'stats.DiskRead',
  diskWrite: 'stats.DiskWrite',
  networkIn: 'stats.NetworkIn',
  networkOut: 'stats.NetworkOut',
}

export function chartColor(type: ChartType): string {
  if (type === 'cpu') return 'var(--ik-chart-1)'
  return type === 'memory' ? 'var(--ik-chart-2)' : 'var(--ik-info)'
}
