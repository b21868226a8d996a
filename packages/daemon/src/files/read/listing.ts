import type { BigIntStats } from 'node:fs'
import { settleAll } from '../../concurrency/settle-all.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { isTemporary } from '../path/names.ts'
import { lstatOrUndefined } from '../path/tree-root.ts'

export interface ListedEntry {
  readonly name: RawName
  readonly stats: BigIntStats
}

/** Converts an entry: for very many files, keeping full stats would be slow. */
type Mapper<T> = (name: RawName, stats: BigIntStats) => T

/** Number of concurrent calls of lstat. */
const concurrency = 64

/** The entries of a directory without temporary files. Entries that are gone are skipped. */
export class Listing {
  readonly #names: readonly RawName[]
  #at = 0
  #buffered: ListedEntry[] = []

  private constructor(names: readonly RawName[]) {
    this.#names = names
  }

  static async of(folder: DirHandle): Promise<Listing> {
    return new Listing((await folder.names()).filter((name) => !isTemporary(name.toString())))
  }

  async next(folder: () => Promise<DirHandle>): Promise<ListedEntry | undefined> {
    while (this.#buffered.length === 0 && this.#at < this.#names.length) {
      this.#buffered = (await this.#batch(await folder(), asListed)).reverse()
    }
    return this.#buffered.pop()
  }

  /** Returns the next batch; empty at the end. */
  async nextBatch<T>(folder: DirHandle, mapEntry: Mapper<T>): Promise<T[]> {
    let found: T[] = []
    while (found.length === 0 && this.#at < this.#names.length) found = await this.#batch(folder, mapEntry)
    return found
  }

  async #batch<T>(folder: DirHandle, mapEntry: Mapper<T>): Promise<T[]> {
    const names = this.#names.slice(this.#at, this.#at + concurrency)
    this.#at += names.length
    const lstats = await settleAll(names.map((name) => lstatOrUndefined(folder, name)))
    return lstats.flatMap((stats, at) => (stats ? [mapEntry(names[at] as RawName, stats)] : []))
  }
}

const asListed: Mapper<ListedEntry> = (name, stats) => ({ name, stats })
