import type { DirHandle, RawName } from './dir-handle.ts'

/** Maximum number of open directories in a stack, the deepest ones; others are reopened when needed. */
const maxOpen = 64

/** The path of a tree walk as a stack of directories of any depth. No link is followed. */
export class DirStack implements AsyncDisposable {
  readonly #top: DirHandle
  readonly #levels: { readonly name: RawName; folder: DirHandle | undefined }[] = []

  /** Takes ownership of the handle. */
  constructor(top: DirHandle) {
    this.#top = top
  }

  get depth(): number {
    return this.#levels.length
  }

  /** The current directory; valid until the next push or pop. */
  async current(): Promise<DirHandle> {
    const handle = this.#levels.at(-1)?.folder
    if (handle) return handle
    const from = this.#levels.findLastIndex(({ folder }) => folder)
    let folder = this.#levels[from]?.folder ?? this.#top
    for (let at = from + 1; at < this.#levels.length; at++) folder = await this.#openAt(at, folder)
    return folder
  }

  /** Enters a subdirectory of the current directory. */
  async push(name: RawName): Promise<DirHandle> {
    const current = await this.current()
    this.#levels.push({ name, folder: undefined })
    try {
      return await this.#openAt(this.#levels.length - 1, current)
    } catch (error) {
      this.#levels.pop()
      throw error
    }
  }

  async pop(): Promise<void> {
    await this.#levels.pop()?.folder?.[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { folder } of this.#levels) await folder?.[Symbol.asyncDispose]()
    await this.#top[Symbol.asyncDispose]()
  }

  async #openAt(at: number, parent: DirHandle): Promise<DirHandle> {
    const step = this.#levels[at]
    if (!step) throw new Error('No such level')
    step.folder = await parent.openDir(step.name)
    const tooMany = this.#levels[at - maxOpen]
    await tooMany?.folder?.[Symbol.asyncDispose]()
    if (tooMany) tooMany.folder = undefined
    return step.folder
  }
}
