import { formatReason } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { DiskSpace } from '@innkeeper/contract/servers/status'
import { endsWithin } from '../../concurrency/timeout.ts'
import { getCode } from '../../errors/error-code.ts'
import type { SpaceReservation, WriteBudget, WritePlace } from './write-budget.ts'

/** Share of the limit from which on a server has nearly no space left, and below which it has enough again. */
const nearlyFullShare = 0.95
const enoughSpaceShare = 0.9

/** Pause between two measurements because of a lack of space, as a multiple of their duration, in milliseconds. */
const restFactor = 10
const restMs = { min: 500, max: 15_000 }
/** How long a write waits for a measurement; then the last one counts. */
const measureWaitMs = 10_000

const mebibyte = 1024 ** 2

/** The used bytes. */
export interface Measurement {
  readonly bytes: number
  /** Whether temporary files in the server's folder are among them. */
  readonly includesStaged: boolean
}

/** Returns undefined when the used bytes cannot be measured now. */
type Measure = () => Promise<Measurement | undefined>

/**
 * The limit of disk space of one server. Innkeeper asks it before it writes to the files of the server: its own writes
 * are refused beyond the limit, whether or not the file system enforces one for the server's processes.
 *
 * Used are the bytes of the last measurement, those written since it began, and all open reservations.
 */
export class DiskLimit implements WriteBudget {
  readonly #limitBytes: () => number | undefined
  readonly #listeners = new Set<(isNearlyFull: boolean) => void>()
  readonly #reservations = new Set<Reservation>()
  #measure: Measure | undefined
  #apply: (() => Promise<void>) | undefined
  #suspensions = 0
  #measuring: Promise<void> | undefined
  #nextMeasureAt = Number.NEGATIVE_INFINITY
  #measuredBytes: number | undefined
  /** Bytes that came under their name since the last measurement began. */
  #settledBytes = 0
  #isNearlyFull = false

  /** `limitBytes` returns the current limit of the server; undefined for none. */
  constructor(limitBytes: () => number | undefined) {
    this.#limitBytes = limitBytes
  }

  get limitBytes(): number | undefined {
    return this.#limitBytes()
  }

  /** The limit for the file system, which would count also the second copy of files for which it is suspended. */
  get enforcedBytes(): number | undefined {
    return this.#suspensions > 0 ? undefined : this.#limitBytes()
  }

  /** What is used and allowed; undefined without a limit and before the first measurement. */
  get space(): DiskSpace | undefined {
    const [usedBytes, limitBytes] = [this.#usedBytes, this.limitBytes]
    return usedBytes === undefined || limitBytes === undefined ? undefined : { usedBytes, limitBytes }
  }

  /** The same, only while the server has nearly no space left. */
  get lowSpace(): DiskSpace | undefined {
    return this.#isNearlyFull ? this.space : undefined
  }

  /** Sets how the limit is applied to the file system, and how the used space is measured. */
  keepWith({ apply, measure }: { readonly apply: () => Promise<void>; readonly measure: Measure }): void {
    this.#apply = apply
    this.#measure = measure
  }

  /** Calls the listener when the server has nearly no space left, and when it has enough again. */
  onNearlyFull(listener: (isNearlyFull: boolean) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes the result of a measurement. */
  measured(bytes: number | undefined): void {
    this.#measuredBytes = bytes
    const limit = this.limitBytes
    const share = bytes === undefined || limit === undefined ? 0 : (bytes + this.#settledBytes) / limit
    const isNearlyFull = share >= (this.#isNearlyFull ? enoughSpaceShare : nearlyFullShare)
    if (isNearlyFull === this.#isNearlyFull) return
    this.#isNearlyFull = isNearlyFull
    for (const listener of this.#listeners) listener(isNearlyFull)
  }

  /** Measures now. Concurrent calls share one measurement. */
  async refresh(): Promise<void> {
    this.#measuring ??= this.#refresh().finally(() => {
      this.#measuring = undefined
    })
    await this.#measuring
  }

  async reserve(bytes: number, place: WritePlace = 'staged'): Promise<SpaceReservation> {
    if (bytes === 0) return this.hold(bytes, place)
    return await this.#take(bytes, () => this.hold(bytes, place))
  }

  /** Like `reserve`, for bytes that are there already: they count even if they do not fit. */
  hold(bytes: number, place: WritePlace = 'staged'): SpaceReservation {
    return this.#add(new Reservation(bytes, place))
  }

  async write<T>(bytes: number, write: () => Promise<T>, replacedBytes = 0): Promise<T> {
    using reserved = await this.#take(bytes - replacedBytes, () => this.hold(bytes, 'inPlace'))
    const result = await reserved.write(bytes, write)
    reserved.settle()
    return result
  }

  /** Throws ErrDiskLimit when so many more bytes do not fit, or the used space cannot be measured. */
  async assertRoom(bytes: number): Promise<void> {
    await this.#take(bytes, () => {})
  }

  /** Lifts the limit of the file system until the returned object is disposed, for a second copy of the files. */
  async suspend(): Promise<AsyncDisposable> {
    this.#suspensions++
    await this.#apply?.()
    return {
      [Symbol.asyncDispose]: async () => {
        this.#suspensions--
        await this.#apply?.()
      },
    }
  }

  /** Calls `take`, which counts the bytes, immediately after they were found to fit: no other write comes between. */
  async #take<T>(bytes: number, take: () => T): Promise<T> {
    // Users may have deleted something since.
    if (!this.#fits(bytes)) await this.#refreshIfRested()
    if (!this.#fits(bytes)) throw this.#refusal()
    return take()
  }

  async #refreshIfRested(): Promise<void> {
    if (performance.now() >= this.#nextMeasureAt) await endsWithin(this.refresh(), measureWaitMs)
  }

  get #usedBytes(): number | undefined {
    if (this.#measuredBytes === undefined) return undefined
    let bytes = this.#measuredBytes + this.#settledBytes
    for (const reservation of this.#reservations) bytes += reservation.countedBytes
    return bytes
  }

  #add(reservation: Reservation): SpaceReservation {
    this.#reservations.add(reservation)
    const isOpen = () => this.#reservations.has(reservation)
    return {
      write: async (bytes, write) => {
        const missing = isOpen() ? reservation.missingFor(bytes) : bytes
        if (missing > 0) await this.#take(missing, () => reservation.grow(bytes))
        else reservation.grow(bytes)
        try {
          return await write()
        } catch (error) {
          reservation.grow(-bytes)
          // The file system also counts blocks of directories, and those that it allocates in advance.
          if (isDiskFull(error) && (await this.#isExhausted())) throw this.#refusal(error)
          throw error
        }
      },
      settle: () => {
        if (this.#reservations.delete(reservation)) this.#settledBytes += reservation.unseenBytes
      },
      [Symbol.dispose]: () => void this.#reservations.delete(reservation),
    }
  }

  /** Whether the limit, and not the whole disk, is the reason why a write that is counted already failed. */
  async #isExhausted(): Promise<boolean> {
    if (this.enforcedBytes !== undefined) await this.#refreshIfRested()
    const { space } = this
    return space !== undefined && space.usedBytes >= nearlyFullShare * space.limitBytes
  }

  #refusal(cause?: unknown): Refusal {
    const { space } = this
    if (!space) return new Refusal('ErrDisk', { reason: formatReason('usageUnknown') }, { cause })
    const toMebibytes = (size: number) => Math.ceil(size / mebibyte)
    const metadata = { used: toMebibytes(space.usedBytes), max: toMebibytes(space.limitBytes) }
    return new Refusal('ErrDiskLimit', metadata, { cause })
  }

  #fits(bytes: number): boolean {
    const [used, limit] = [this.#usedBytes, this.limitBytes]
    return limit === undefined || (used !== undefined && used + bytes <= limit)
  }

  async #refresh(): Promise<void> {
    const from = performance.now()
    const settledBefore = this.#settledBytes
    const writtenBefore = [...this.#reservations].map((reservation) => [reservation, reservation.written] as const)
    const measurement = await this.#measure?.()
    const now = performance.now()
    this.#nextMeasureAt = now + Math.min(restMs.max, Math.max(restMs.min, restFactor * (now - from)))
    // The second copy for which the limit is suspended does not count.
    if (!measurement || (measurement.includesStaged && this.#suspensions > 0)) return
    this.#settledBytes -= settledBefore
    for (const [reservation, bytes] of writtenBefore) reservation.seen(bytes, measurement)
    this.measured(measurement.bytes)
  }
}

/** Bytes that are announced, and those of them that are written. */
class Reservation {
  readonly #place: WritePlace
  #promised: number
  #written = 0
  /** Written bytes that the last measurement has counted. */
  #seen = 0

  constructor(promised: number, place: WritePlace) {
    this.#promised = promised
    this.#place = place
  }

  get written(): number {
    return this.#written
  }

  /** What counts in addition to the last measurement. */
  get countedBytes(): number {
    return Math.max(this.#promised, this.#written) - this.#seen
  }

  /** Written bytes that the last measurement has not counted. */
  get unseenBytes(): number {
    return this.#written - this.#seen
  }

  /** By how much so many further bytes exceed what was announced. */
  missingFor(bytes: number): number {
    return Math.max(0, this.#written + bytes - Math.max(this.#promised, this.#written))
  }

  grow(bytes: number): void {
    this.#written += bytes
  }

  seen(bytes: number, { includesStaged }: Measurement): void {
    if (this.#place === 'inPlace' || (this.#place === 'staged' && includesStaged)) this.#seen = bytes
    else this.#seen = 0
  }
}

function isDiskFull(error: unknown): boolean {
  return ['EDQUOT', 'ENOSPC'].includes(getCode(error))
}
