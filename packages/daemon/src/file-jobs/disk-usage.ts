import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import type { getDiskUsage } from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { endsWithin } from '../concurrency/timeout.ts'
import { rootPath } from '../files/path/safe-path.ts'
import type { RootFs, TreeSize } from '../files/root.ts'
import type { DiskLimit } from '../files/space/disk-limit.ts'

interface Deps {
  readonly diskLimit?: Pick<DiskLimit, 'space'>
  readonly openFiles: () => Promise<RootFs>
  readonly log: Logger
}

type Usage = ResponseOf<typeof getDiskUsage>
type Measured = TreeSize & { readonly measuredAt: string }

/** Pause between measurements, as a multiple of their duration; at most `limits.diskUsageEveryMs`. */
const restFactor = 20
/** How long a measurement may take. */
const maxMeasureMs = 10 * 60 * 1000

/** The disk usage of a server's files, measured on request and then cached for a while. */
export class DiskUsage {
  readonly #deps: Deps
  readonly #closing = new AbortController()
  #latest: Measured | undefined
  /** Why the last measurement failed. */
  #problem: string | undefined
  #measuring: Promise<void> | undefined
  #nextMeasureAt = Number.NEGATIVE_INFINITY

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Returns the last result; waits for the first measurement, with a timeout. */
  async latest(): Promise<Usage> {
    await using files = await this.#deps.openFiles()
    if (performance.now() > this.#nextMeasureAt) void this.#begin()
    if (this.#measuring) await endsWithin(this.#measuring, limits.diskUsageWaitMs)
    const free = await files.freeBytes()
    const limit = this.#deps.diskLimit?.space
    const found = { ...this.#latest, ...(this.#problem !== undefined && { problem: this.#problem }) }
    if (!limit) return { ...found, freeBytes: free }
    return { ...found, freeBytes: Math.max(0, Math.min(free, limit.limitBytes - limit.usedBytes)), limit }
  }

  /** Measures now. Concurrent calls share one measurement. */
  async measure(): Promise<number | undefined> {
    await this.#begin()
    return this.#problem === undefined ? this.measuredBytes : undefined
  }

  /** The size of the files at the last measurement, if there was one. */
  get measuredBytes(): number | undefined {
    return this.#latest?.bytes
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#measuring
  }

  #begin(): Promise<void> {
    this.#measuring ??= this.#measure().finally(() => (this.#measuring = undefined))
    return this.#measuring
  }

  async #measure(): Promise<void> {
    const from = performance.now()
    try {
      await using files = await this.#deps.openFiles()
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(maxMeasureMs)])
      const size = await files.measure(rootPath, signal)
      this.#latest = { ...size, measuredAt: new Date().toISOString() }
      this.#problem = undefined
    } catch (cause) {
      this.#problem = formatReason('usageUnknown')
      if (!this.#closing.signal.aborted) this.#deps.log.warn({ err: cause }, 'failed to measure the disk usage')
    } finally {
      const now = performance.now()
      this.#nextMeasureAt = now + Math.min(limits.diskUsageEveryMs, restFactor * (now - from))
    }
  }
}
