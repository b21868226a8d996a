import { type StatsRange, statsRanges } from '@innkeeper/contract/servers/stats-history'
import type { ServerStats } from '@innkeeper/contract/servers/status'

/** A measurement of a server. Players are missing while its game does not report them. */
export interface Sample extends ServerStats {
  readonly players?: number | undefined
}

/** The values of a bucket that are measured, in storage order. */
export const usageFigures = [
  'cpu',
  'cpuPeak',
  'memory',
  'memoryPeak',
  'diskRead',
  'diskWrite',
  'networkIn',
  'networkOut',
] as const
/** Those that the game reports, in storage order. */
export const playerFigures = ['players', 'playersPeak'] as const
export const figures = [...usageFigures, ...playerFigures] as const
export type Figure = (typeof figures)[number]

/** A time bucket: its number counts steps since 1970, unknown values are `NaN`. */
export interface Bucket {
  readonly number: number
  /** Number of measurements. */
  readonly count: number
  readonly values: Readonly<Record<Figure, number>>
}

export const ranges = Object.keys(statsRanges) as readonly StatsRange[]

export const bucketNumberAt = (range: StatsRange, at: number): number => Math.floor(at / statsRanges[range].stepMs)

export function getBucket(number: number, sample: Sample): Bucket {
  const { cpu, memory, diskRead = Number.NaN, diskWrite = Number.NaN } = sample
  const { networkIn = Number.NaN, networkOut = Number.NaN, players = Number.NaN } = sample
  const usage = { cpu, cpuPeak: cpu, memory, memoryPeak: memory, diskRead, diskWrite, networkIn, networkOut }
  return { number, count: 1, values: { ...usage, players, playersPeak: players } }
}

/** Merges two parts of a bucket: weighted averages, maximum of peaks. */
export function mergeBuckets(a: Bucket, b: Bucket): Bucket {
  const count = a.count + b.count
  const merge = (figure: Figure, x: number, y: number) => {
    if (Number.isNaN(x)) return y
    if (Number.isNaN(y)) return x
    return figure.endsWith('Peak') ? Math.max(x, y) : (x * a.count + y * b.count) / count
  }
  const values = Object.fromEntries(
    figures.map((figure) => [figure, merge(figure, a.values[figure], b.values[figure])]),
  ) as Record<Figure, number>
  return { number: a.number, count, values }
}

/** Converts buckets of one range to those of a coarser one. */
export function downsample(buckets: readonly Bucket[], from: StatsRange, to: StatsRange): Bucket[] {
  const factor = statsRanges[to].stepMs / statsRanges[from].stepMs
  const merged = new Map<number, Bucket>()
  for (const slot of buckets) {
    const number = Math.floor(slot.number / factor)
    const before = merged.get(number)
    merged.set(number, before ? mergeBuckets(before, { ...slot, number }) : { ...slot, number })
  }
  return [...merged.values()]
}
