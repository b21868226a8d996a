import { limits } from '@innkeeper/contract/limits'
import type { StatsHistory } from '../../live/stats-history.ts'

/** The vertical axis of a chart: from 0. */
export interface Scale {
  readonly upper: number
  readonly ticks: readonly number[]
}

/** A point of a line; both from 0 to 1, `y` from the bottom. */
export interface Place {
  readonly x: number
  readonly y: number
}

export type MemoryUnit = 'MB' | 'MiB'
export const memoryUnits: readonly MemoryUnit[] = ['MB', 'MiB']

/** The charts never end lower than this, so that small numbers look small. */
export const leastCpu = 100
export const leastMemory: Readonly<Record<MemoryUnit, number>> = { MB: 1000, MiB: 1025 }

export function inUnit(bytes: number, unit: MemoryUnit): number {
  return unit === 'MB' ? bytes / 1000 ** 2 : bytes / 1024 ** 2
}

/** A scale that holds all values, ends at least at `least`, and has about five round steps. */
export function scaleFor(values: readonly number[], least: number): Scale {
  const highest = Math.max(0, ...values)
  const step = roundStep(Math.max(highest, least) / 5)
  const upper = highest <= least ? least : Math.ceil(highest / step) * step
  const ticks = Array.from({ length: Math.floor(upper / step) + 1 }, (_, index) => index * step)
  return { upper, ticks }
}

function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= least - 1e-9) ?? 10) * power
}

export interface Summary {
  readonly now: number
  readonly average: number
  readonly peak: number
}

export function summaryOf(values: readonly number[]): Summary {
  const sum = values.reduce((total, value) => total + value, 0)
  return { now: values.at(-1) ?? 0, average: values.length > 0 ? sum / values.length : 0, peak: Math.max(0, ...values) }
}

/** How long a chart looks back. */
export const windowMs = (limits.statsPoints - 1) * limits.statsEveryMs

/** The points that a chart shows: what is older than its window is gone, after a pause of the page at once. */
export function inWindow(history: StatsHistory): StatsHistory {
  const end = history.at(-1)?.at ?? 0
  return history.filter(({ at }) => at >= end - windowMs - limits.statsEveryMs / 2)
}

/** Where the values stand, in runs: a pause of the page breaks the line. Without blanks it begins with what was seen. */
export function runsOf(
  history: StatsHistory,
  values: readonly number[],
  upper: number,
  { withBlanks = true }: { readonly withBlanks?: boolean } = {},
): readonly (readonly Place[])[] {
  const end = history.at(-1)?.at ?? 0
  const runs: Place[][] = []
  let before: number | undefined
  for (const [index, { at, isBlank }] of history.entries()) {
    if (isBlank && !withBlanks) continue
    const place = {
      x: Math.max(0, 1 - (end - at) / windowMs),
      y: Math.min(1, (values[index] ?? 0) / upper),
    }
    const run = runs.at(-1)
    if (run && before !== undefined && at - before <= 3 * limits.statsEveryMs) run.push(place)
    else runs.push([place])
    before = at
  }
  return runs
}
