import { type BigIntStats, lstatSync, type Stats } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { allOf } from '../all-of.ts'
import type { HeldFolder, RawName } from '../path/held-folder.ts'
import { presence } from '../path/ways.ts'
import { isTemporary } from '../write/temporary.ts'
import { AnswerPace } from './answer-pace.ts'

export interface Listed {
  readonly name: RawName
  readonly stats: BigIntStats
}

/** What is kept of something: of a great many, all that the system says of them is more than the memory is quick at. */
type Keep<T, S extends BigIntStats | Stats> = (name: RawName, stats: S) => T

/** Without a thread; nothing when it is gone. */
type Look<S> = (path: RawName) => S | undefined

/** So many names are given to the threads together: the system answers them side by side. */
const together = 64
/** So many are looked at in one go, or as many as fit into this time: meanwhile nothing else is done. */
const atOnce = 256
const atOnceMs = 1
/** A name that takes less was in memory. */
const quickMs = 0.1

/** What is in a folder, but for what of ours is not whole yet. What is gone by the time it is looked at is left out. */
export class Listing {
  readonly #names: readonly RawName[]
  #at = 0
  #looked: Listed[] = []
  readonly #pace: AnswerPace | undefined

  private constructor(names: readonly RawName[], pace: AnswerPace | undefined) {
    this.#names = names
    this.#pace = pace
  }

  static async of(folder: HeldFolder): Promise<Listing> {
    const names = (await folder.names()).filter((name) => !isTemporary(name.toString()))
    return new Listing(names, names.length > together ? await AnswerPace.of(folder.path) : undefined)
  }

  async next(folder: () => Promise<HeldFolder>): Promise<Listed | undefined> {
    while (this.#looked.length === 0 && this.#at < this.#names.length) {
      this.#looked = (await this.#look(await folder(), exactly, asListed)).reverse()
    }
    return this.#looked.pop()
  }

  /** Some of what is left; none at the end. */
  async some<T>(folder: HeldFolder, keep: Keep<T, BigIntStats | Stats>): Promise<T[]> {
    let found: T[] = []
    while (found.length === 0 && this.#at < this.#names.length) found = await this.#look(folder, quickly, keep)
    return found
  }

  async #look<T, S extends BigIntStats | Stats>(
    folder: HeldFolder,
    look: Look<S>,
    keep: Keep<T, S | BigIntStats>,
  ): Promise<T[]> {
    const isQuick = this.#pace?.isQuick ?? false
    // Whatever else there is to do goes first.
    if (isQuick) await turn()
    const [from, at] = [performance.now(), this.#at]
    const found = isQuick
      ? this.#lookHere(folder, look, keep, from + atOnceMs)
      : await this.#lookByThreads(folder, keep)
    this.#pace?.found(performance.now() - from < (this.#at - at) * quickMs)
    return found
  }

  #lookHere<T, S extends BigIntStats | Stats>(folder: HeldFolder, look: Look<S>, keep: Keep<T, S>, until: number): T[] {
    const found: T[] = []
    const end = this.#at + atOnce
    for (const name of this.#names.slice(this.#at, end)) {
      this.#at++
      const stats = look(folder.at(name))
      if (stats) found.push(keep(name, stats))
      if (performance.now() > until) break
    }
    return found
  }

  async #lookByThreads<T>(folder: HeldFolder, keep: Keep<T, BigIntStats>): Promise<T[]> {
    const names = this.#names.slice(this.#at, this.#at + together)
    this.#at += names.length
    const looks = await allOf(names.map((name) => presence(folder, name)))
    return looks.flatMap((stats, at) => (stats ? [keep(names[at] as RawName, stats)] : []))
  }
}

const exactly: Look<BigIntStats> = (path) => lstatSync(path, { bigint: true, throwIfNoEntry: false })
/** A BigInt for each number takes memory that has to be cleared away again. */
const quickly: Look<Stats> = (path) => lstatSync(path, { throwIfNoEntry: false })

const asListed: Keep<Listed, BigIntStats> = (name, stats) => ({ name, stats })
