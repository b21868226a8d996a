import type { BigIntStats } from 'node:fs'
import { allOf } from './all-of.ts'
import type { HeldFolder, RawName } from './held-folder.ts'
import { isTemporary } from './temporary.ts'
import { presence } from './ways.ts'

export interface Listed {
  readonly name: RawName
  readonly stats: BigIntStats
}

/** So many names are looked at together: the system answers them side by side. */
const together = 64

/** What is in a folder, but for what of ours is not whole yet. What is gone by the time it is looked at is left out. */
export class Listing {
  readonly #names: readonly RawName[]
  #at = 0
  #looked: Listed[] = []

  private constructor(names: readonly RawName[]) {
    this.#names = names
  }

  static async of(folder: HeldFolder): Promise<Listing> {
    return new Listing((await folder.names()).filter((name) => !isTemporary(name.toString())))
  }

  async next(folder: () => Promise<HeldFolder>): Promise<Listed | undefined> {
    while (this.#looked.length === 0 && this.#at < this.#names.length) {
      this.#looked = (await this.#look(await folder())).reverse()
    }
    return this.#looked.pop()
  }

  /** Some of what is left; none at the end. */
  async some(folder: HeldFolder): Promise<Listed[]> {
    let found: Listed[] = []
    while (found.length === 0 && this.#at < this.#names.length) found = await this.#look(folder)
    return found
  }

  async #look(folder: HeldFolder): Promise<Listed[]> {
    const names = this.#names.slice(this.#at, this.#at + together)
    this.#at += together
    const looks = await allOf(names.map(async (name) => ({ name, stats: await presence(folder, name) })))
    return looks.filter((look): look is Listed => look.stats !== undefined)
  }
}
