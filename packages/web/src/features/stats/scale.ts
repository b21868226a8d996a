import { limits } from '@innkeeper/contract/limits'
import type { StatsHistory } from '../../realtime/stats-history.ts'

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

/** A point that can be read; a hidden one stands for a time when nobody looked. */
export interface Reading {
  readonly at: number
  readonly value: number
  readonly place: Place
  readonly isHidden?: boolean
}

/** A line as a chart draws it, in runs: where nothing is known it breaks. */
export interface ChartLine {
  readonly runs: readonly (readonly Place[])[]
  /** Drawn dashed: nothing was measured there, and the specification draws zero. */
  readonly assumed?: readonly (readonly Place[])[]
  /** The most within each point's time, where a point stands for more than a moment. */
  readonly peaks?: readonly (readonly Place[])[]
  readonly readings: readonly Reading[]
}

/** A text below a line. */
export interface Mark {
  readonly share: number
  readonly label: string
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
  const end = history.at(-1)?.timestamp ?? 0
  return history.filter(({ timestamp }) => timestamp >= end - windowMs - limits.statsEveryMs / 2)
}

/** Where the values stand, in runs: a pause of the page breaks the line, and so does a change of what is known. */
export function runsOf(
  history: StatsHistory,
  values: readonly number[],
  upper: number,
  which?: 'measured' | 'blank',
): readonly (readonly Place[])[] {
  const end = history.at(-1)?.timestamp ?? 0
  const runs: Place[][] = []
  let before: number | undefined
  for (const [index, { timestamp, isBlank }] of history.entries()) {
    if (which !== undefined && which !== (isBlank ? 'blank' : 'measured')) continue
    const place = {
      x: Math.max(0, 1 - (end - timestamp) / windowMs),
      y: Math.min(1, (values[index] ?? 0) / upper),
    }
    const run = runs.at(-1)
    if (run && before !== undefined && timestamp - before <= 3 * limits.statsEveryMs) run.push(place)
    else runs.push([place])
    before = timestamp
  }
  return runs
}

/** The line of the last minutes; with blanks it goes on, dashed, where nothing was measured. */
export function liveLine(
  history: StatsHistory,
  values: readonly number[],
  upper: number,
  { withBlanks }: { readonly withBlanks: boolean },
): ChartLine {
  const places = runsOf(history, values, upper).flat()
  const readings = history.map(({ timestamp, isBlank }, index) => ({
    at: timestamp,
    value: values[index] ?? 0,
    place: places[index] ?? { x: 0, y: 0 },
    isHidden: isBlank === true,
  }))
  const runs = runsOf(history, values, upper, 'measured')
  return withBlanks ? { runs, assumed: runsOf(history, values, upper, 'blank'), readings } : { runs, readings }
}

const shares = [0, 0.25, 0.5, 0.75, 1]

/** The marks below the last minutes: `-1:30` ... `now`. */
export function liveMarks(now: string): readonly Mark[] {
  return shares.map((share) => ({ share, label: share === 1 ? now : backBy((1 - share) * windowMs) }))
}

/** Rounded to ten seconds: the window is a point short of two minutes. */
function backBy(ms: number): string {
  const seconds = Math.round(ms / 10_000) * 10
  return `-${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** The marks below a range of the past, by the clock or the calendar. */
export function pastMarks(from: number, to: number, labelOf: (at: number) => string): readonly Mark[] {
  return shares.map((share) => ({ share, label: labelOf(from + share * (to - from)) }))
}

/** What a point of the past tells; `null` where nothing is known. */
export interface PastValues {
  readonly from: number
  readonly stepMs: number
  readonly values: readonly (number | null)[]
  readonly peaks: readonly (number | null)[]
}

/** As many points as a chart can show apart; more are put together. */
const mostPoints = 360

/** The same range in fewer points: averages of what is known, and the highest peak. */
export function thinned({ from, stepMs, values, peaks }: PastValues): PastValues {
  const factor = Math.ceil(values.length / mostPoints)
  if (factor <= 1) return { from, stepMs, values, peaks }
  const groups = Array.from({ length: Math.ceil(values.length / factor) }, (_, index) => index * factor)
  const known = (list: readonly (number | null)[], start: number) =>
    list.slice(start, start + factor).filter((value) => value !== null)
  return {
    from,
    stepMs: stepMs * factor,
    values: groups.map((start) => {
      const group = known(values, start)
      return group.length === 0 ? null : group.reduce((sum, value) => sum + value, 0) / group.length
    }),
    peaks: groups.map((start) => {
      const group = known(peaks, start)
      return group.length === 0 ? null : Math.max(...group)
    }),
  }
}

/** The line of a range of the past. */
export function pastLine({ from, stepMs, values, peaks }: PastValues, upper: number): ChartLine {
  const placeOf = (value: number, index: number): Place => ({
    x: values.length > 1 ? index / (values.length - 1) : 1,
    y: Math.min(1, value / upper),
  })
  return {
    runs: runsOfKnown(values, placeOf),
    peaks: runsOfKnown(peaks, placeOf),
    readings: values.flatMap((value, index) =>
      value === null ? [] : [{ at: from + index * stepMs, value, place: placeOf(value, index) }],
    ),
  }
}

function runsOfKnown(
  values: readonly (number | null)[],
  placeOf: (value: number, index: number) => Place,
): readonly (readonly Place[])[] {
  const runs: Place[][] = []
  for (const [index, value] of values.entries()) {
    if (value === null) continue
    const place = placeOf(value, index)
    if (index > 0 && values[index - 1] !== null) runs.at(-1)?.push(place)
    else runs.push([place])
  }
  return runs
}
