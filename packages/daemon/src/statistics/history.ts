import { type StatsRange, statsRanges } from '@innkeeper/contract/stats-history'
import type { ServerStats } from '@innkeeper/contract/status'
import { BucketFile } from './bucket-file.ts'
import {
  type Bucket,
  bucketNumberAt,
  bucketOf,
  downsample,
  type Figure,
  figures,
  mergeBuckets,
  ranges,
} from './buckets.ts'

/** Figures of a range, the oldest point first; `null` where nothing is known. */
export type Series = { readonly fromMs: number; readonly stepMs: number } & Readonly<Record<Figure, (number | null)[]>>

/**
 * What one server used in the past: full resolution for an hour, then coarser, for a year. Slots of the finest range are
 * written once a minute, so that `kill -9` costs no more than that. Nothing happens here by itself: whoever measures
 * hands each sample in.
 */
export class StatsHistory {
  readonly #file: BucketFile
  readonly #onError: (cause: unknown) => void
  /** The slot of the finest range that time is in now. */
  #now: Bucket | undefined
  /** Those before it that the file does not have yet. */
  #unwritten: Bucket[] = []
  #writing: Promise<void> = Promise.resolve()

  /** `onFault` hears of statistics that cannot be kept; measuring goes on. */
  constructor(path: string, onError: (cause: unknown) => void) {
    this.#file = new BucketFile(path)
    this.#onError = onError
  }

  add(sample: ServerStats, at = Date.now()): void {
    const slot = bucketOf(bucketNumberAt('hour', at), sample)
    if (this.#now?.number === slot.number) {
      this.#now = mergeBuckets(this.#now, slot)
      return
    }
    if (this.#now) this.#unwritten.push(this.#now)
    this.#now = slot
    if (this.#unwritten.length >= bucketsPerWrite) this.#write()
  }

  /** A range up to now. */
  async series(range: StatsRange, now = Date.now()): Promise<Series> {
    await this.#writing
    const { points, stepMs } = statsRanges[range]
    const last = bucketNumberAt(range, now)
    const first = last - points + 1
    const buckets = new Map<number, Bucket>()
    for (const slot of await this.#file.read(range, first)) buckets.set(slot.number, slot)
    const recent = this.#now ? [...this.#unwritten, this.#now] : this.#unwritten
    for (const slot of downsample(recent, 'hour', range)) {
      const before = buckets.get(slot.number)
      buckets.set(slot.number, before ? mergeBuckets(before, slot) : slot)
    }
    const numbers = Array.from({ length: points }, (_, index) => first + index)
    const valuesOf = (figure: Figure) =>
      numbers.map((number) => {
        const value = buckets.get(number)?.values[figure]
        return value === undefined || Number.isNaN(value) ? null : value
      })
    return {
      fromMs: first * stepMs,
      stepMs,
      ...(Object.fromEntries(figures.map((figure) => [figure, valuesOf(figure)])) as Record<Figure, (number | null)[]>),
    }
  }

  /** Keeps what is not written yet. */
  async close(): Promise<void> {
    if (this.#now) this.#unwritten.push(this.#now)
    this.#now = undefined
    this.#write()
    await this.#writing
  }

  /** Forgets everything, also on the disk. */
  async remove(): Promise<void> {
    this.#now = undefined
    this.#unwritten = []
    await this.#writing
    await this.#file.remove()
  }

  #write(): void {
    const buckets = this.#unwritten
    if (buckets.length === 0) return
    this.#unwritten = []
    this.#writing = this.#writing.then(async () => {
      try {
        for (const range of ranges) await this.#file.add(range, downsample(buckets, 'hour', range))
      } catch (cause) {
        this.#onError(cause)
      }
    })
  }
}

/** A minute of them. */
const bucketsPerWrite = 60_000 / statsRanges.hour.stepMs
