import type { DirHandle, RawName } from './dir-handle.ts'

/** So many folders of a way are held at most, the deepest ones; the others are entered again when they are needed. */
const maxOpen = 64

/** A way down from a held folder, of any depth. No link is followed on it. */
export class DirStack implements AsyncDisposable {
  readonly #top: DirHandle
  readonly #levels: { readonly name: RawName; folder: DirHandle | undefined }[] = []

  /** Takes over the folder. */
  constructor(top: DirHandle) {
    this.#top = top
  }

  get depth(): number {
    return this.#levels.length
  }

  /** The folder that it has come to; good until the next step. */
  async current(): Promise<DirHandle> {
    const held = this.#levels.at(-1)?.folder
    if (held) return held
    const from = this.#levels.findLastIndex(({ folder }) => folder)
    let folder = this.#levels[from]?.folder ?? this.#top
    for (let at = from + 1; at < this.#levels.length; at++) folder = await this.#openAt(at, folder)
    return folder
  }

  /** Goes into a folder of the one that it is in. */
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
    if (!step) throw new Error('There is no such step')
    step.folder = await parent.openDir(step.name)
    const tooMany = this.#levels[at - maxOpen]
    await tooMany?.folder?.[Symbol.asyncDispose]()
    if (tooMany) tooMany.folder = undefined
    return step.folder
  }
}
