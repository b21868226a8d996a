import { getCode } from '../../errors/error-code.ts'
import type { DirHandle } from './dir-handle.ts'

interface CachedDir {
  readonly opening: Promise<DirHandle>
  uses: number
}

/** Maximum number of unused open directories. */
const maxOpen = 64

/** An LRU cache of open directories below one, for many operations in the same directories. No link is followed. */
export class DirHandleCache implements AsyncDisposable {
  readonly #top: DirHandle
  readonly #make: (folder: DirHandle, name: string) => Promise<void>
  /** By path, the most recently used last. */
  readonly #cached = new Map<string, CachedDir>()

  /** Takes ownership of the handle. `make` creates a directory. */
  constructor(top: DirHandle, make: (folder: DirHandle, name: string) => Promise<void>) {
    this.#top = top
    this.#make = make
  }

  /** Calls `act` with a directory, which is created if necessary. Returns undefined when a file is in the way. */
  async within<T>(names: readonly string[], act: (folder: DirHandle) => Promise<T>): Promise<T | undefined> {
    const name = names.at(-1)
    if (name === undefined) return await act(this.#top)
    const path = names.join('/')
    const handle = this.#cached.get(path) ?? { opening: this.#open(names.slice(0, -1), name), uses: 0 }
    this.#cached.delete(path)
    this.#cached.set(path, handle)
    handle.uses++
    try {
      const folder = await handle.opening.catch((error: unknown) => {
        this.#cached.delete(path)
        if (error instanceof NotADirectory) return undefined
        throw error
      })
      return folder && (await act(folder))
    } finally {
      handle.uses--
      await this.#evict()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { opening } of this.#cached.values())
      await opening.then((folder) => folder[Symbol.asyncDispose](), ignore)
    await this.#top[Symbol.asyncDispose]()
  }

  async #open(above: readonly string[], name: string): Promise<DirHandle> {
    const folder = await this.within(above, async (parent) => {
      try {
        await this.#make(parent, name)
        return await parent.openDir(name)
      } catch (error) {
        if (['ENOTDIR', 'ELOOP'].includes(getCode(error))) throw new NotADirectory()
        throw error
      }
    })
    if (!folder) throw new NotADirectory()
    return folder
  }

  async #evict(): Promise<void> {
    for (const [path, handle] of this.#cached) {
      if (this.#cached.size <= maxOpen) return
      if (handle.uses > 0) continue
      this.#cached.delete(path)
      await handle.opening.then((folder) => folder[Symbol.asyncDispose](), ignore)
    }
  }
}

/** A file has the name of a directory. */
class NotADirectory extends Error {}

const ignore = () => {
  // Reported to the caller already.
}
