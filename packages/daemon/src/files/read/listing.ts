import { type BigIntStats, lstatSync, type Stats } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { lstatOrUndefined } from '../path/tree-root.ts'
import { settleAll } from '../settle-all.ts'
import { isTemporary } from '../write/temporary.ts'
import { CacheHeuristic } from './cache-heuristic.ts'

export interface ListedEntry {
  readonly name: RawName
  readonly stats: BigIntStats
}

/** Converts an entry: for very many files, keeping full stats would be slow. */
type Mapper<T, S extends BigIntStats | Stats> = (name: RawName, stats: S) => T

/** Synchronous; undefined when it is gone. */
type Lstat<S> = (path: RawName) => S | undefined

/** Number of concurrent asynchronous lstats. */
const concurrency = 64
/** Maximum number and duration of synchronous lstats in one go, which block the event loop. */
const batchSize = 256
const batchMs = 1
/** A faster lstat came from the cache. */
const fastMs = 0.1

/** The entries of a directory without temporary files. Entries that are gone are skipped. */
export class Listing {
  readonly #names: readonly RawName[]
  #at = 0
  #buffered: ListedEntry[] = []
  readonly #syncIo: CacheHeuristic | undefined

  private constructor(names: readonly RawName[], syncIo: CacheHeuristic | undefined) {
    this.#names = names
    this.#syncIo = syncIo
  }

  static async of(folder: DirHandle): Promise<Listing> {
    const names = (await folder.names()).filter((name) => !isTemporary(name.toString()))
    return new Listing(names, names.length > concurrency ? await CacheHeuristic.of(folder.path) : undefined)
  }

  async next(folder: () => Promise<DirHandle>): Promise<ListedEntry | undefined> {
    while (this.#buffered.length === 0 && this.#at < this.#names.length) {
      this.#buffered = (await this.#batch(await folder(), exactly, asListed)).reverse()
    }
    return this.#buffered.pop()
  }

  /** Returns the next batch; empty at the end. */
  async nextBatch<T>(folder: DirHandle, mapEntry: Mapper<T, BigIntStats | Stats>): Promise<T[]> {
    let found: T[] = []
    while (found.length === 0 && this.#at < this.#names.length) found = await this.#batch(folder, quickly, mapEntry)
    return found
  }

  async #batch<T, S extends BigIntStats | Stats>(
    folder: DirHandle,
    lstat: Lstat<S>,
    mapEntry: Mapper<T, S | BigIntStats>,
  ): Promise<T[]> {
    const mayBlock = this.#syncIo?.mayBlock ?? false
    // Yields to the event loop.
    if (mayBlock) await turn()
    const [from, at] = [performance.now(), this.#at]
    const found = mayBlock
      ? this.#batchSync(folder, lstat, mapEntry, from + batchMs)
      : await this.#batchAsync(folder, mapEntry)
    this.#syncIo?.record(performance.now() - from < (this.#at - at) * fastMs)
    return found
  }

  #batchSync<T, S extends BigIntStats | Stats>(
    folder: DirHandle,
    lstat: Lstat<S>,
    mapEntry: Mapper<T, S>,
    until: number,
  ): T[] {
    const found: T[] = []
    const end = this.#at + batchSize
    for (const name of this.#names.slice(this.#at, end)) {
      this.#at++
      const stats = lstat(folder.pathTo(name))
      if (stats) found.push(mapEntry(name, stats))
      if (performance.now() > until) break
    }
    return found
  }

  async #batchAsync<T>(folder: DirHandle, mapEntry: Mapper<T, BigIntStats>): Promise<T[]> {
    const names = this.#names.slice(this.#at, this.#at + concurrency)
    this.#at += names.length
    const lstats = await settleAll(names.map((name) => lstatOrUndefined(folder, name)))
    return lstats.flatMap((stats, at) => (stats ? [mapEntry(names[at] as RawName, stats)] : []))
  }
}

const exactly: Lstat<BigIntStats> = (path) => lstatSync(path, { bigint: true, throwIfNoEntry: false })
/** A BigInt for each number creates garbage. */
const quickly: Lstat<Stats> = (path) => lstatSync(path, { throwIfNoEntry: false })

const asListed: Mapper<ListedEntry, BigIntStats> = (name, stats) => ({ name, stats })
