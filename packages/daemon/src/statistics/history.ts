import { untilUnlocked, withLock } from '@innkeeper/contract/jobs/mutex'
import { type StatsRange, statsRanges } from '@innkeeper/contract/servers/stats-history'
import { BucketFile } from './bucket-file.ts'
import {
  type Bucket,
  bucketNumberAt,
  downsample,
  type Figure,
  figures,
  getBucket,
  mergeBuckets,
  playerFigures,
  ranges,
  type Sample,
  usageFigures,
} from './buckets.ts'
import { getUptime, type Uptime } from './uptime.ts'

/** The values of a range, oldest first; `null` where unknown. */
export type Series = { readonly fromMs: number; readonly stepMs: number } & Readonly<Record<Figure, (number | null)[]>>

/**
 * Resource usage of one server: full resolution for an hour, then coarser, up to a year. Buckets of the finest range
 * are written once a minute, so that `kill -9` loses at most that. Passive: the monitor adds each sample.
 */
export class StatsHistory {
  readonly #usage: BucketFile
  /** Apart, because those of many servers are never known. */
  readonly #players: BucketFile
  readonly #onError: (cause: unknown) => void
  /** The current bucket of the finest range. */
  #now: Bucket | undefined
  /** Earlier buckets that are not written yet. */
  #unwritten: Bucket[] = []

  /** `onError` is called when statistics cannot be stored; measuring continues. */
  constructor(path: string, onError: (cause: unknown) => void) {
    this.#usage = new BucketFile(path, usageFigures)
    this.#players = new BucketFile(path.replace(/\.stats$/, '.players'), playerFigures)
    this.#onError = onError
  }

  add(sample: Sample, at = Date.now()): void {
    const slot = getBucket(bucketNumberAt('hour', at), sample)
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
    const { points, stepMs } = statsRanges[range]
    const first = bucketNumberAt(range, now) - points + 1
    const buckets = await this.#read(range, first)
    const numbers = Array.from({ length: points }, (_, index) => first + index)
    const getValues = (figure: Figure) =>
      numbers.map((number) => {
        const value = buckets.get(number)?.values[figure]
        return value === undefined || Number.isNaN(value) ? null : value
      })
    return {
      fromMs: first * stepMs,
      stepMs,
      ...(Object.fromEntries(figures.map((figure) => [figure, getValues(figure)])) as Record<
        Figure,
        (number | null)[]
      >),
    }
  }

  /** How much of each of the last days the server ran. */
  async uptime(now = Date.now()): Promise<Uptime> {
    const readAll = async (range: StatsRange) => {
      const buckets = await this.#read(range, bucketNumberAt(range, now) - statsRanges[range].points + 1)
      return [...buckets.values()]
    }
    return getUptime({ year: await readAll('year'), month: await readAll('month'), day: await readAll('day') }, now)
  }

  /** The buckets of a range from a number on. */
  async #read(range: StatsRange, first: number): Promise<ReadonlyMap<number, Bucket>> {
    await untilUnlocked(this)
    const buckets = new Map<number, Bucket>()
    const merge = (slot: Bucket) => {
      const before = buckets.get(slot.number)
      buckets.set(slot.number, before ? mergeBuckets(before, slot) : slot)
    }
    for (const slot of await this.#usage.read(range, first)) merge(slot)
    for (const { number, values } of await this.#players.read(range, first)) {
      const { players, playersPeak } = values
      const measured = buckets.get(number)
      if (measured) buckets.set(number, { ...measured, values: { ...measured.values, players, playersPeak } })
    }
    const recent = this.#now ? [...this.#unwritten, this.#now] : this.#unwritten
    for (const slot of downsample(recent, 'hour', range)) merge(slot)
    return buckets
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    if (this.#now) this.#unwritten.push(this.#now)
    this.#now = undefined
    this.#write()
    await untilUnlocked(this)
  }

  /** Deletes everything, also on disk. */
  async remove(): Promise<void> {
    this.#now = undefined
    this.#unwritten = []
    await withLock([this], async () => {
      await this.#usage.remove()
      await this.#players.remove()
    })
  }

  #write(): void {
    const buckets = this.#unwritten
    if (buckets.length === 0) return
    this.#unwritten = []
    const writing = withLock([this], async () => {
      const withPlayers = buckets.filter(({ values }) => !Number.isNaN(values.players))
      for (const range of ranges) {
        await this.#usage.add(range, downsample(buckets, 'hour', range))
        if (withPlayers.length > 0) await this.#players.add(range, downsample(withPlayers, 'hour', range))
      }
    })
    writing.catch((cause: unknown) => this.#onError(cause))
  }
}

/** One minute. */
const bucketsPerWrite = 60_000 / statsRanges.hour.stepMs
