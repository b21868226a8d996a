import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type StatsRange, statsRanges } from '@innkeeper/contract/servers/stats-history'
import { ignoreErrors } from '../errors/error-code.ts'
import { type Bucket, type Figure, figures, mergeBuckets, ranges } from './buckets.ts'

/** The bucket's number and its count, four bytes each, then its values as floats. */
const getBucketBytes = (stored: readonly Figure[]) => 8 + stored.length * 4

/** Buckets of the ranges before this one. */
const bucketsBefore = (range: StatsRange): number =>
  ranges.slice(0, ranges.indexOf(range)).reduce((sum, before) => sum + statsRanges[before].points, 0)

/** Maximum size of a file with these values. */
export const getFileBytes = (stored: readonly Figure[]): number =>
  ranges.reduce((sum, range) => sum + statsRanges[range].points, 0) * getBucketBytes(stored)

const unknown = Object.fromEntries(figures.map((figure) => [figure, Number.NaN])) as Bucket['values']

/**
 * A statistics file of one server, for some of the values: a ring of buckets per range, with a fixed size. Each bucket has
 * its number, which distinguishes old ones; a partially written file only has fewer buckets.
 */
export class BucketFile {
  readonly #path: string
  readonly #stored: readonly Figure[]
  readonly #bucketBytes: number

  constructor(path: string, stored: readonly Figure[]) {
    this.#path = path
    this.#stored = stored
    this.#bucketBytes = getBucketBytes(stored)
  }

  /** Reads the buckets of a range from a number on, oldest first. */
  async read(range: StatsRange, from: number): Promise<Bucket[]> {
    const file = await this.#open(constants.O_RDONLY)
    if (!file) return []
    await using _ = file
    const { points } = statsRanges[range]
    const bucketBytes = this.#bucketBytes
    const size = points * bucketBytes
    const start = bucketsBefore(range) * bucketBytes
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, start)
    const buckets: Bucket[] = []
    for (let at = 0; at + bucketBytes <= bytesRead; at += bucketBytes) {
      const slot = this.#parse(buffer, at)
      if (slot && slot.number >= from && slot.number % points === at / bucketBytes) buckets.push(slot)
    }
    return buckets.sort((a, b) => a.number - b.number)
  }

  /** Merges measurements into their buckets; buckets of an earlier round are overwritten. */
  async add(range: StatsRange, buckets: readonly Bucket[]): Promise<void> {
    const file = await this.#open(constants.O_RDWR | constants.O_CREAT)
    if (!file) throw new Error('The statistics file could not be created')
    await using _ = file
    const bucketBytes = this.#bucketBytes
    for (const { at, buffer, run } of getRuns(range, buckets, bucketBytes)) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
      for (const [index, slot] of run.entries()) {
        const offset = index * bucketBytes
        const before = offset + bucketBytes <= bytesRead ? this.#parse(buffer, offset) : undefined
        this.#format(before?.number === slot.number ? mergeBuckets(before, slot) : slot, buffer, offset)
      }
      await file.write(buffer, 0, buffer.length, at)
    }
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true })
  }

  async #open(flags: number): Promise<FileHandle | undefined> {
    const file = await open(this.#path, flags, 0o600).catch(ignoreErrors('ENOENT', 'ENOTDIR'))
    if (file || !(flags & constants.O_CREAT)) return file
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    return await open(this.#path, flags, 0o600)
  }

  #format({ number, count, values }: Bucket, buffer: Buffer, at: number): void {
    buffer.writeUInt32LE(number, at)
    buffer.writeUInt32LE(count, at + 4)
    for (const [index, figure] of this.#stored.entries()) buffer.writeFloatLE(values[figure], at + 8 + index * 4)
  }

  /** undefined for an unused bucket. */
  #parse(buffer: Buffer, at: number): Bucket | undefined {
    const count = buffer.readUInt32LE(at + 4)
    if (count === 0) return undefined
    const stored = this.#stored.map((figure, index) => [figure, buffer.readFloatLE(at + 8 + index * 4)])
    return { number: buffer.readUInt32LE(at), count, values: { ...unknown, ...Object.fromEntries(stored) } }
  }
}

/** Adjacent buckets are read and written together. */
function getRuns(
  range: StatsRange,
  buckets: readonly Bucket[],
  bucketBytes: number,
): { at: number; buffer: Buffer; run: readonly Bucket[] }[] {
  const runs: { at: number; buckets: Bucket[] }[] = []
  for (const slot of buckets) {
    const at = (bucketsBefore(range) + (slot.number % statsRanges[range].points)) * bucketBytes
    const last = runs.at(-1)
    if (last && last.at + last.buckets.length * bucketBytes === at) last.buckets.push(slot)
    else runs.push({ at, buckets: [slot] })
  }
  return runs.map((run) => ({ at: run.at, buffer: Buffer.alloc(run.buckets.length * bucketBytes), run: run.buckets }))
}
