import { closeOnError } from '../../errors/cleanup.ts'
import { ignoreErrors } from '../../errors/error-code.ts'
import type { DirHandle, RawName } from './dir-handle.ts'

/** Maximum number of open directories in a stack, the deepest ones; others are reopened when needed. */
const maxOpen = 64

/** Which directory it is, to recognize it again. */
interface Identity {
  readonly dev: bigint
  readonly ino: bigint
}

interface Level {
  readonly name: RawName
  folder: DirHandle | undefined
  /** Identity of a directory whose handle was closed to save descriptors. */
  identity?: Identity
}

/**
 * The path of a tree walk as a stack of directories of any depth. No link is followed. Going down and up takes time in
 * proportion to the number of steps, at any depth.
 */
export class DirStack implements AsyncDisposable {
  readonly #top: DirHandle
  readonly #levels: Level[] = []

  /** Takes ownership of the handle. */
  constructor(top: DirHandle) {
    this.#top = top
  }

  get depth(): number {
    return this.#levels.length
  }

  /** The current directory; valid until the next push or pop. */
  async current(): Promise<DirHandle> {
    const handle = this.#levels.length === 0 ? this.#top : this.#levels.at(-1)?.folder
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
    const left = this.#levels.pop()?.folder
    if (!left) return
    await using _ = left
    const parent = this.#levels.at(-1)
    if (parent && !parent.folder && parent.identity) parent.folder = await reopened(left, parent.identity)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { folder } of this.#levels) await folder?.[Symbol.asyncDispose]()
    await this.#top[Symbol.asyncDispose]()
  }

  async #openAt(at: number, parent: DirHandle): Promise<DirHandle> {
    const step = this.#levels[at]
    if (!step) throw new Error('No such level')
    step.folder = await parent.openDir(step.name)
    await closeLevel(this.#levels[at - maxOpen])
    return step.folder
  }
}

async function closeLevel(level: Level | undefined): Promise<void> {
  if (!level?.folder) return
  level.identity ??= await level.folder.stat()
  await level.folder[Symbol.asyncDispose]()
  level.folder = undefined
}

/**
 * Opens the parent of a directory, if it is still the expected one: a directory may be moved meanwhile. Returns undefined
 * otherwise; then it is opened by its path from the top.
 */
async function reopened(child: DirHandle, { dev, ino }: Identity): Promise<DirHandle | undefined> {
  const parent = await child.openDir('..').catch(ignoreErrors('ENOENT', 'EACCES', 'EPERM'))
  if (!parent) return undefined
  const found = await closeOnError(parent, () => parent.stat())
  if (found.dev === dev && found.ino === ino) return parent
  parent.close()
  return undefined
}
