import { appendFile, mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { z } from 'zod/mini'
import { writeFileAtomic } from './atomic-write.ts'
import { readTextIfExists } from './if-exists.ts'

interface Options<T> {
  readonly path: string
  readonly schema: z.ZodMiniType<T>
  readonly maxItems: number
  readonly maxBytes: number
}

interface Stored<T> {
  readonly item: T
  /** Of its line. */
  readonly bytes: number
}

/** After this many lines a read yields to the event loop. */
const linesPerYield = 1_000

/**
 * A log on disk: one line of JSON per item, appended. When it has twice as many items or bytes as the limit, it is
 * truncated to the limit. A line that is incomplete after a power loss is skipped.
 */
export class JsonLog<T> {
  readonly #options: Options<T>
  /** The size of the file; undefined before it was read. */
  #size: { items: number; bytes: number } | undefined

  constructor(options: Options<T>) {
    this.#options = options
  }

  async append(items: readonly T[]): Promise<void> {
    if (items.length === 0) return
    const { path, maxItems, maxBytes } = this.#options
    await withLock([this], async () => {
      // The last line of an earlier daemon may be incomplete: starts a new one.
      const isFirst = this.#size === undefined
      this.#size ??= getSize(await this.#read())
      const text = `${isFirst ? '\n' : ''}${items.map(toLine).join('')}`
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await appendFile(path, text, { mode: 0o600 })
      this.#size.items += items.length
      this.#size.bytes += Buffer.byteLength(text)
      if (this.#size.items >= 2 * maxItems || this.#size.bytes > 2 * maxBytes) await this.#replace(await this.#newest())
    })
  }

  /** The last items within the limits, oldest first. */
  async read(): Promise<T[]> {
    return await withLock([this], async () => (await this.#newest()).map(({ item }) => item))
  }

  /** Removes all other items from the disk. Returns whether there were some. */
  async keep(isKept: (item: T) => boolean): Promise<boolean> {
    return await withLock([this], async () => {
      const all = await this.#read()
      const kept = all.filter(({ item }) => isKept(item))
      if (kept.length === all.length) return false
      await this.#replace(kept)
      return true
    })
  }

  async remove(): Promise<void> {
    await withLock([this], async () => {
      await rm(this.#options.path, { force: true })
      this.#size = undefined
    })
  }

  async #replace(all: readonly Stored<T>[]): Promise<void> {
    await writeFileAtomic(this.#options.path, all.map(({ item }) => toLine(item)).join(''))
    this.#size = getSize(all)
  }

  /** At least one, whatever its size. */
  async #newest(): Promise<Stored<T>[]> {
    const { maxItems, maxBytes } = this.#options
    const last = (await this.#read()).slice(-maxItems)
    let bytes = 0
    const tooMany = last.toReversed().findIndex((one, at) => {
      bytes += one.bytes
      return at > 0 && bytes > maxBytes
    })
    return tooMany === -1 ? last : last.slice(-tooMany)
  }

  async #read(): Promise<Stored<T>[]> {
    const lines = ((await readTextIfExists(this.#options.path)) ?? '').split('\n')
    const stored: Stored<T>[] = []
    for (const [at, line] of lines.entries()) {
      if (at % linesPerYield === linesPerYield - 1) await breathe()
      const { success, data } = this.#options.schema.safeParse(parseJsonOrUndefined(line))
      if (success) stored.push({ item: data, bytes: Buffer.byteLength(line) + 1 })
    }
    return stored
  }
}

const toLine = (item: unknown): string => `${JSON.stringify(item)}\n`

function getSize(all: readonly Stored<unknown>[]): { items: number; bytes: number } {
  return { items: all.length, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) }
}
