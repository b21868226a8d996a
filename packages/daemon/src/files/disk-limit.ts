import { Refusal } from '@innkeeper/contract/refusals'
import type { DiskSpace } from '@innkeeper/contract/status'
import { codeOf } from '../errors/error-code.ts'
import type { WriteBudget } from './write-budget.ts'

/** Share of the limit from which on a server has nearly no space left, and below which it has enough again. */
const nearlyFullShare = 0.95
const enoughSpaceShare = 0.9

/** Pause between two measurements because of a lack of space, as a multiple of their duration, in milliseconds. */
const restFactor = 10
const restMs = { min: 500, max: 15_000 }

const mebibyte = 1024 ** 2

/** Returns the used bytes; undefined when they cannot be measured now. */
type Measure = () => Promise<number | undefined>

/**
 * The limit of disk space of one server. Innkeeper asks it before it writes to the files of the server: its own writes
 * are refused beyond the limit, whether or not the file system enforces one for the server's processes.
 */
export class DiskLimit implements WriteBudget {
  readonly #limitBytes: () => number | undefined
  readonly #listeners = new Set<(isNearlyFull: boolean) => void>()
  #measure: Measure | undefined
  #apply: (() => Promise<void>) | undefined
  #suspensions = 0
  #measuring: Promise<void> | undefined
  #nextMeasureAt = Number.NEGATIVE_INFINITY
  #usedBytes: number | undefined
  #isNearlyFull = false

  /** `limitBytes` returns the current limit of the server; undefined for none. */
  constructor(limitBytes: () => number | undefined) {
    this.#limitBytes = limitBytes
  }

  get limitBytes(): number | undefined {
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
  measured(usedBytes: number | undefined): void {
    this.#usedBytes = usedBytes
    const { space } = this
    const share = space ? space.usedBytes / space.limitBytes : 0
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

  async write<T>(bytes: number, write: () => Promise<T>, replacedBytes = 0): Promise<T> {
    await this.assertRoom(bytes - replacedBytes)
    // Until the next measurement.
    if (this.#usedBytes !== undefined) this.#usedBytes += bytes
    try {
      return await write()
    } catch (error) {
      // The file system also counts blocks of directories, and those that it allocates in advance.
      if (isDiskFull(error) && (await this.#isExhausted(bytes))) throw this.#refusal(error)
      throw error
    }
  }

  /** Throws ErrDiskLimit when so many more bytes do not fit. */
  async assertRoom(bytes: number): Promise<void> {
    if (this.limitBytes === undefined) return
    // Users may have deleted something since.
    if (!this.#fits(bytes) && performance.now() >= this.#nextMeasureAt) await this.refresh()
    const { space } = this
    // Nothing is known about a server whose files could not be measured.
    if (space && !this.#fits(bytes)) throw this.#refusal()
  }

  /** Lifts the limit until the returned object is disposed, for work that needs space for a while. */
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

  /** Whether the limit, and not the whole disk, is the reason why a write of so many bytes failed. */
  async #isExhausted(bytes: number): Promise<boolean> {
    if (this.limitBytes !== undefined && performance.now() >= this.#nextMeasureAt) await this.refresh()
    const { space } = this
    return space !== undefined && space.usedBytes + bytes >= nearlyFullShare * space.limitBytes
  }

  #refusal(cause?: unknown): Refusal {
    const { usedBytes = 0, limitBytes = 0 } = this.space ?? {}
    const toMebibytes = (size: number) => Math.ceil(size / mebibyte)
    return new Refusal('ErrDiskLimit', { used: toMebibytes(usedBytes), max: toMebibytes(limitBytes) }, { cause })
  }

  #fits(bytes: number): boolean {
    const [used, limit] = [this.#usedBytes, this.limitBytes]
    return limit === undefined || (used !== undefined && used + bytes <= limit)
  }

  async #refresh(): Promise<void> {
    const from = performance.now()
    const usedBytes = await this.#measure?.()
    if (usedBytes !== undefined) this.measured(usedBytes)
    const now = performance.now()
    this.#nextMeasureAt = now + Math.min(restMs.max, Math.max(restMs.min, restFactor * (now - from)))
  }
}

function isDiskFull(error: unknown): boolean {
  return ['EDQUOT', 'ENOSPC'].includes(codeOf(error))
}
