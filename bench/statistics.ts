/** Summary of repeated measurements. */
export interface Summary {
  readonly median: number
  /** Range from minimum to maximum, relative to the median. */
  readonly spread: number
}

/** Latencies of events during one run, in milliseconds. */
export class Delays {
  readonly #ms: readonly number[]

  constructor(ms: readonly number[]) {
    this.#ms = ms.toSorted((a, b) => a - b)
  }

  /** The 99th percentile. @throws Error with fewer than 100 measurements. */
  get p99(): number {
    const value = this.#ms.length < 100 ? undefined : this.#ms[Math.ceil(this.#ms.length * 0.99) - 1]
    if (value === undefined) throw new Error(`${this.#ms.length} measurements are too few`)
    return value
  }
}

/** A quantile: 0.5 is the median, 1 the maximum. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

/** @throws Error without measurements. */
export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b)
  const [min, max] = [sorted.at(0), sorted.at(-1)]
  if (min === undefined || max === undefined) throw new Error('Nothing was measured')
  const middle = sorted.length / 2
  const median = ((sorted[Math.ceil(middle) - 1] as number) + (sorted[Math.floor(middle)] as number)) / 2
  return { median, spread: median === 0 ? 0 : (max - min) / median }
}

/**
 * The goal of a comparison. `speed`: minimum of the reference's time divided by ours. `time`: maximum of our time divided
 * by the reference's.
 */
export type Goal = { readonly speed: number } | { readonly time: number }

/** The ratio of two times as the goal defines it, and whether the goal is met. */
export function evaluate(goal: Goal, ours: number, reference: number): { ratio: number; isMet: boolean } {
  if ('speed' in goal) {
    const ratio = reference / ours
    return { ratio, isMet: ratio >= goal.speed }
  }
  const ratio = ours / reference
  return { ratio, isMet: ratio <= goal.time }
}
