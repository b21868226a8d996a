/** What several measurements of one thing say. */
export interface Figures {
  readonly median: number
  /** From the smallest to the largest, as a part of the median. */
  readonly spread: number
}

/** How long single things took that happened during a turn, in milliseconds. */
export class Delays {
  readonly #ms: readonly number[]

  constructor(ms: readonly number[]) {
    this.#ms = ms.toSorted((a, b) => a - b)
  }

  /** What one in a hundred exceeds. @throws Error without a hundred of them, which would say nothing about one. */
  get p99(): number {
    const found = this.#ms.length < 100 ? undefined : this.#ms[Math.ceil(this.#ms.length * 0.99) - 1]
    if (found === undefined) throw new Error(`${this.#ms.length} measurements are too few`)
    return found
  }
}

/** What a part of the measurements does not exceed: 0.5 is the median, 1 the largest. */
export function quantile(measured: readonly number[], part: number): number {
  const sorted = measured.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

/** @throws Error without measurements. */
export function figuresOf(measured: readonly number[]): Figures {
  const sorted = measured.toSorted((a, b) => a - b)
  const [least, most] = [sorted.at(0), sorted.at(-1)]
  if (least === undefined || most === undefined) throw new Error('Nothing was measured')
  const middle = sorted.length / 2
  const median = ((sorted[Math.ceil(middle) - 1] as number) + (sorted[Math.floor(middle)] as number)) / 2
  return { median, spread: median === 0 ? 0 : (most - least) / median }
}

/**
 * What a comparison is to reach: `speed` is the reference's time by ours, which is to be at least that; `time` is our
 * time by the reference's, which is to be at most that.
 */
export type Goal = { readonly speed: number } | { readonly time: number }

/** How two times stand to each other in the terms of the goal, and whether that is enough. */
export function judge(goal: Goal, ours: number, reference: number): { ratio: number; isMet: boolean } {
  if ('speed' in goal) {
    const ratio = reference / ours
    return { ratio, isMet: ratio >= goal.speed }
  }
  const ratio = ours / reference
  return { ratio, isMet: ratio <= goal.time }
}
