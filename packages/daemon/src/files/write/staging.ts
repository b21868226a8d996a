import { constants, open } from 'node:fs'
import { mkdir, unlink, utimes } from 'node:fs/promises'
import { promisify } from 'node:util'
import { codeOf } from '../error-code.ts'
import type { HeldFolder } from '../path/held-folder.ts'
import { HeldFolders } from '../path/held-folders.ts'
import { naming } from '../path/naming.ts'
import type { SafePath } from '../path/safe-path.ts'
import type { Ways } from '../path/ways.ts'
import { OpenedFile } from '../read/opened-file.ts'
import { removeIn } from '../tree/empty-folder.ts'
import { type Merging, mergeInto } from '../tree/merge.ts'
import { persistTree } from '../tree/persist.ts'
import { temporaryName } from './temporary.ts'

/** A file of a tree that is being built. */
class StagedFile implements AsyncDisposable {
  readonly #file: OpenedFile
  #size = 0
  #writing: Promise<void> | undefined

  constructor(file: OpenedFile) {
    this.#file = file
  }

  /** Takes the next bytes; the caller must not change them any more. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#writing
    const written = this.#file.write([bytes], this.#size)
    this.#size += bytes.length
    if (!written) return
    this.#writing = written
    // It is told to whoever writes next.
    this.#writing.catch(() => {})
  }

  async finish(modified: Date | undefined): Promise<void> {
    await this.#writing
    if (modified) await this.#file.set({ modified, accessed: modified })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing?.catch(() => {})
    await this.#file.close()
  }
}

/**
 * A tree that is built beside what is there, in a folder of ours that nobody else may enter. Its parts come to their
 * places with `merge`; let go of before that, nothing is left of it.
 */
export class Staging implements AsyncDisposable {
  readonly #ways: Ways
  readonly #goal: HeldFolder
  readonly #path: SafePath
  readonly #name: string
  readonly #top: HeldFolder
  readonly #folders: HeldFolders
  /** Whether what we make belongs to somebody else than it should. */
  readonly #isForeign: boolean
  /** The bits that the process keeps back from new files. */
  readonly #umask: number
  #files = 0

  private constructor(ways: Ways, goal: HeldFolder, path: SafePath, own: Own) {
    this.#ways = ways
    this.#goal = goal
    this.#path = path
    this.#name = own.name
    this.#top = own.top
    this.#folders = own.folders
    this.#isForeign = own.isForeign
    this.#umask = own.umask
  }

  /** Begins a tree whose parts are to come into this folder. */
  static async begin(ways: Ways, path: SafePath): Promise<Staging> {
    return await naming(path, async () => {
      const goal = await ways.enter(path)
      try {
        const name = temporaryName()
        await mkdir(goal.at(name), 0o700)
        const top = await goal.enter(name)
        // It stays ours; one in it shows what becomes of things that are made here.
        await mkdir(top.at('tree'), 0o777)
        const tree = await top.enter('tree')
        const before = await tree.stat()
        const umask = 0o777 & ~Number(before.mode)
        await ways.ownFolder(tree)
        const after = await tree.stat()
        const isForeign = before.uid !== after.uid || before.gid !== after.gid
        const folders = new HeldFolders(tree, async (folder, child) => {
          if (!(await made(folder, child)) || !isForeign) return
          await using fresh = await folder.enter(child)
          await ways.ownFolder(fresh)
        })
        return new Staging(ways, goal, path, { name, top, folders, isForeign, umask })
      } catch (error) {
        await goal[Symbol.asyncDispose]()
        throw error
      }
    })
  }

  /** Makes a folder and those above it; says no when a file has the name of one of them. */
  async folder(names: readonly string[]): Promise<boolean> {
    return (await this.#folders.within(names, async () => true)) ?? false
  }

  /** Begins a file, in the place of an earlier one; `undefined` when a folder has its name, or a file that of a folder. */
  async file(names: readonly string[], mode: number): Promise<StagedFile | undefined> {
    const name = names.at(-1)
    if (name === undefined) return undefined
    const fd = await this.#folders.within(names.slice(0, -1), (folder) => fresh(folder, name, mode & 0o777))
    if (fd === undefined) return undefined
    this.#files++
    const file = new OpenedFile(fd, { size: 0n }, this.#ways.pace)
    try {
      if ((mode & this.#umask) !== 0) await file.set({ mode })
      if (this.#isForeign) await this.#ways.give(fd)
      return new StagedFile(file)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Gives a folder its time; what is put into it later changes that. */
  async date(names: readonly string[], modified: Date): Promise<void> {
    await this.#folders.within(names, async (folder) => {
      await utimes(folder.path, modified, modified)
    })
  }

  /** Brings all to its place, for good. What fails or is aborted half way leaves nothing that was not there before. */
  async merge(merging: Merging): Promise<void> {
    await using tree = await this.#top.enter('tree')
    // First: a name that is on the disk never stands for content that is not.
    await persistTree(tree, this.#files, merging.signal)
    await naming(this.#path, async () => {
      await mergeInto({ ways: this.#ways, tree, goal: this.#goal, path: this.#path }, merging)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folders[Symbol.asyncDispose]()
    await this.#top[Symbol.asyncDispose]()
    // What cannot be removed now, because the disk is read-only all at once, is swept away when the server is loaded.
    await removeIn(this.#goal, this.#name).catch(() => {})
    await this.#goal[Symbol.asyncDispose]()
  }
}

interface Own {
  readonly name: string
  readonly top: HeldFolder
  readonly folders: HeldFolders
  readonly isForeign: boolean
  readonly umask: number
}

async function made(folder: HeldFolder, name: string): Promise<boolean> {
  try {
    await mkdir(folder.at(name), 0o755)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

const create = promisify(open)

/** Makes a file and says by which descriptor it is open. */
async function fresh(folder: HeldFolder, name: string, mode: number): Promise<number | undefined> {
  const make = () => create(folder.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  return await make().catch(async (error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
    return (await removed(folder, name)) ? await make() : undefined
  })
}

/** Whether there is no file of that name any more; a folder stays. */
async function removed(folder: HeldFolder, name: string): Promise<boolean> {
  try {
    await unlink(folder.at(name))
    return true
  } catch (error) {
    if (['EISDIR', 'EPERM'].includes(codeOf(error))) return false
    throw error
  }
}
