import type { ResponseOf } from '@innkeeper/contract/endpoint'
import type { getDiskUsage } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import type { Logger } from 'pino'
import { endsWithin } from '../concurrency/timeout.ts'
import type { DiskLimit } from '../files/disk-limit.ts'
import { rootPath } from '../files/path/safe-path.ts'
import type { RootFs } from '../files/root.ts'

interface Deps {
  readonly diskLimit?: Pick<DiskLimit, 'space'>
  readonly openFiles: () => Promise<RootFs>
  readonly log: Logger
}

type Usage = ResponseOf<typeof getDiskUsage>
type Counts = Pick<Usage, 'bytes' | 'files' | 'folders' | 'measuredAt'>

/** Pause between measurements, as a multiple of their duration; at most `limits.diskUsageEveryMs`. */
const restFactor = 20

/** The disk usage of a server's files, measured on request and then cached for a while. */
export class DiskUsage {
  readonly #deps: Deps
  readonly #closing = new AbortController()
  #latest: Counts = { bytes: 0, files: 0, folders: 0 }
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
    if (!limit) return { ...this.#latest, freeBytes: free }
    return { ...this.#latest, freeBytes: Math.max(0, Math.min(free, limit.limitBytes - limit.usedBytes)), limit }
  }

  /** Measures now. Concurrent calls share one measurement. */
  async measure(): Promise<number | undefined> {
    await this.#begin()
    return this.measuredBytes
  }

  /** The size of the files at the last measurement, if there was one. */
  get measuredBytes(): number | undefined {
    return this.#latest.measuredAt === undefined ? undefined : this.#latest.bytes
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
    const counts = { bytes: 0, files: 0, folders: 0 }
    const from = performance.now()
    try {
      await using files = await this.#deps.openFiles()
      for await (const { info } of files.walk(rootPath, { signal: this.#closing.signal, onUnreadable: () => {} })) {
        if (info.kind === 'folder') counts.folders++
        else counts.files++
        counts.bytes += info.size
      }
      this.#latest = { ...counts, measuredAt: new Date().toISOString() }
    } catch (cause) {
      if (!this.#closing.signal.aborted) this.#deps.log.warn({ err: cause }, 'failed to measure the disk usage')
    } finally {
      const now = performance.now()
      this.#nextMeasureAt = now + Math.min(limits.diskUsageEveryMs, restFactor * (now - from))
    }
  }
}
