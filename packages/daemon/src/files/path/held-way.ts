import type { HeldFolder, RawName } from './held-folder.ts'

/** So many folders of a way are held at most, the deepest ones; the others are entered again when they are needed. */
const heldAtOnce = 64

/** A way down from a held folder, of any depth. No link is followed on it. */
export class HeldWay implements AsyncDisposable {
  readonly #top: HeldFolder
  readonly #steps: { readonly name: RawName; folder: HeldFolder | undefined }[] = []

  /** Takes over the folder. */
  constructor(top: HeldFolder) {
    this.#top = top
  }

  get depth(): number {
    return this.#steps.length
  }

  /** The folder that it has come to; good until the next step. */
  async here(): Promise<HeldFolder> {
    const held = this.#steps.at(-1)?.folder
    if (held) return held
    const from = this.#steps.findLastIndex(({ folder }) => folder)
    let folder = this.#steps[from]?.folder ?? this.#top
    for (let at = from + 1; at < this.#steps.length; at++) folder = await this.#hold(at, folder)
    return folder
  }

  /** Goes into a folder of the one that it is in. */
  async down(name: RawName): Promise<HeldFolder> {
    const here = await this.here()
    this.#steps.push({ name, folder: undefined })
    try {
      return await this.#hold(this.#steps.length - 1, here)
    } catch (error) {
      this.#steps.pop()
      throw error
    }
  }

  async up(): Promise<void> {
    await this.#steps.pop()?.folder?.[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { folder } of this.#steps) await folder?.[Symbol.asyncDispose]()
    await this.#top[Symbol.asyncDispose]()
  }

  async #hold(at: number, parent: HeldFolder): Promise<HeldFolder> {
    const step = this.#steps[at]
    if (!step) throw new Error('There is no such step')
    step.folder = await parent.enter(step.name)
    const tooMany = this.#steps[at - heldAtOnce]
    await tooMany?.folder?.[Symbol.asyncDispose]()
    if (tooMany) tooMany.folder = undefined
    return step.folder
  }
}
