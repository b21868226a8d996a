import { codeOf } from '../error-code.ts'
import type { HeldFolder } from './held-folder.ts'

interface Held {
  readonly opening: Promise<HeldFolder>
  uses: number
}

/** So many folders are held when nobody uses them. */
const keptAtMost = 64

/**
 * The folders below one, those used last held open: who puts many things into them does not walk there each time. No
 * link is followed.
 */
export class HeldFolders implements AsyncDisposable {
  readonly #top: HeldFolder
  readonly #make: (folder: HeldFolder, name: string) => Promise<void>
  /** By way, the one used last at the end. */
  readonly #held = new Map<string, Held>()

  /** Takes over the folder. `make` makes a folder in another one. */
  constructor(top: HeldFolder, make: (folder: HeldFolder, name: string) => Promise<void>) {
    this.#top = top
    this.#make = make
  }

  /** Acts in a folder, which is made if need be; `undefined` when something else stands on the way. */
  async within<T>(names: readonly string[], act: (folder: HeldFolder) => Promise<T>): Promise<T | undefined> {
    const name = names.at(-1)
    if (name === undefined) return await act(this.#top)
    const way = names.join('/')
    const held = this.#held.get(way) ?? { opening: this.#open(names.slice(0, -1), name), uses: 0 }
    this.#held.delete(way)
    this.#held.set(way, held)
    held.uses++
    try {
      const folder = await held.opening.catch((error: unknown) => {
        this.#held.delete(way)
        if (error instanceof InTheWay) return undefined
        throw error
      })
      return folder && (await act(folder))
    } finally {
      held.uses--
      await this.#letGo()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { opening } of this.#held.values()) await opening.then((folder) => folder[Symbol.asyncDispose](), ignore)
    await this.#top[Symbol.asyncDispose]()
  }

  async #open(above: readonly string[], name: string): Promise<HeldFolder> {
    const folder = await this.within(above, async (parent) => {
      try {
        await this.#make(parent, name)
        return await parent.enter(name)
      } catch (error) {
        if (['ENOTDIR', 'ELOOP'].includes(codeOf(error))) throw new InTheWay()
        throw error
      }
    })
    if (!folder) throw new InTheWay()
    return folder
  }

  async #letGo(): Promise<void> {
    for (const [way, held] of this.#held) {
      if (this.#held.size <= keptAtMost) return
      if (held.uses > 0) continue
      this.#held.delete(way)
      await held.opening.then((folder) => folder[Symbol.asyncDispose](), ignore)
    }
  }
}

/** Something that is no folder has the name of one. */
class InTheWay extends Error {}

const ignore = () => {
  // Whoever wanted it was told.
}
