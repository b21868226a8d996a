import { constants } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, unlink, utimes } from 'node:fs/promises'
import { closeOnError, withRollback } from '../../errors/cleanup.ts'
import { getCode, ignoreErrors } from '../../errors/error-code.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { DirHandleCache } from '../path/dir-handle-cache.ts'
import { temporaryName } from '../path/names.ts'
import { type SafePath, withRefusals } from '../path/safe-path.ts'
import { mkdirIfMissing, type TreeRoot } from '../path/tree-root.ts'
import { reserveWithin, type SpaceReservation } from '../space/write-budget.ts'
import { writeAll } from '../write/write-all.ts'
import { type MergeOptions, mergeInto } from './merge.ts'
import { removeIn } from './remove-tree.ts'
import { isUnfinished, replaceContents } from './replace-contents.ts'
import { syncTree } from './sync-tree.ts'
import { walkBelow } from './walk.ts'

/** A file of a tree that is being built. */
class StagedFile implements AsyncDisposable {
  readonly #file: FileHandle
  readonly #reservation: SpaceReservation
  #size = 0
  #writing: Promise<void> | undefined

  constructor(file: FileHandle, reservation: SpaceReservation) {
    this.#file = file
    this.#reservation = reservation
  }

  /** Writes the next bytes; the caller must not change them any more. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#writing
    const position = this.#size
    this.#size += bytes.length
    this.#writing = this.#reservation.write(bytes.length, () => writeAll(this.#file, [bytes], position))
    // The next write throws it.
    this.#writing.catch(() => {})
  }

  async finish(modified: Date | undefined): Promise<void> {
    await this.#writing
    if (modified) await this.#file.utimes(modified, modified)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing?.catch(() => {})
    await this.#file.close()
  }
}

/**
 * A tree that is built in a private temporary directory. `merge` places its entries; disposed before, nothing is left
 * of it, except the former files that a failed `replace` could not put back.
 */
export class Staging implements AsyncDisposable {
  readonly #own: StagingParts
  readonly #tree: TreeRoot
  readonly #target: DirHandle
  readonly #path: SafePath
  #files = 0

  private constructor(tree: TreeRoot, goal: DirHandle, path: SafePath, own: StagingParts) {
    this.#tree = tree
    this.#target = goal
    this.#path = path
    this.#own = own
  }

  /** Starts a tree whose entries are merged into this directory. It reserves space for so many bytes, or none. */
  static async begin(tree: TreeRoot, path: SafePath, bytes: number): Promise<Staging> {
    const reservation = await reserveWithin(tree.budget, bytes)
    return await withRollback(Staging.#begin(tree, path, reservation), async () => reservation[Symbol.dispose]())
  }

  static async #begin(tree: TreeRoot, path: SafePath, reservation: SpaceReservation): Promise<Staging> {
    return await withRefusals(path, async () => {
      return await closeOnError(await tree.openDir(path), async (target) => {
        const name = temporaryName()
        await mkdir(target.pathTo(name), 0o700)
        const top = await target.openDir(name)
        // The temporary directory belongs to the daemon; a directory in it shows which owner new files have.
        await mkdir(top.pathTo('tree'), 0o777)
        const staged = await top.openDir('tree')
        const before = await staged.stat()
        const umask = 0o777 & ~Number(before.mode)
        await tree.chownDir(staged)
        const after = await staged.stat()
        const isForeign = before.uid !== after.uid || before.gid !== after.gid
        const folders = new DirHandleCache(staged, async (folder, child) => {
          if (!(await mkdirIfMissing(folder.pathTo(child))) || !isForeign) return
          await using created = await folder.openDir(child)
          await tree.chownDir(created)
        })
        return new Staging(tree, target, path, { name, top, folders, isForeign, umask, reservation })
      })
    })
  }

  /** The name of the temporary directory, see `finishReplacements`. */
  get name(): string {
    return this.#own.name
  }

  /** Creates a directory and its parents. Returns false when a file is in the way. */
  async folder(names: readonly string[]): Promise<boolean> {
    return (await this.#own.folders.within(names, async () => true)) ?? false
  }

  /**
   * Starts a file, replacing an earlier one. Returns undefined when a directory has its name, or a file that of a
   * parent directory.
   */
  async file(names: readonly string[], mode: number): Promise<StagedFile | undefined> {
    const name = names.at(-1)
    if (name === undefined) return undefined
    const file = await this.#own.folders.within(names.slice(0, -1), (folder) => createFile(folder, name, mode & 0o777))
    if (!file) return undefined
    this.#files++
    return await closeOnError(file, async () => {
      if ((mode & this.#own.umask) !== 0) await file.chmod(mode & 0o777)
      if (this.#own.isForeign) await this.#tree.chownNew(file.fd)
      return new StagedFile(file, this.#own.reservation)
    })
  }

  /** Adds a hard link to a regular file of the tree. Returns false when there is none, or a directory has the name. */
  async hardLink(names: readonly string[], existing: readonly string[]): Promise<boolean> {
    const name = names.at(-1)
    if (name === undefined || existing.length === 0 || names.join('/') === existing.join('/')) return false
    // The tree has no symbolic links, and only the daemon can reach it.
    const source = `${this.#own.top.pathTo('tree')}/${existing.join('/')}`
    if (!(await lstat(source).catch(ignoreErrors('ENOENT', 'ENOTDIR')))?.isFile()) return false
    const make = (folder: DirHandle) => link(source, folder.pathTo(name)).then(() => true, ignoreErrors('EEXIST'))
    const isMade = await this.#own.folders.within(names.slice(0, -1), async (folder) => {
      return (await make(folder)) ?? ((await removeUnlessDir(folder, name)) ? await make(folder) : false)
    })
    return isMade ?? false
  }

  /** Sets the time of a directory; later changes in it update the time. */
  async date(names: readonly string[], modified: Date): Promise<void> {
    await this.#own.folders.within(names, async (folder) => {
      await utimes(folder.path, modified, modified)
    })
  }

  /** Opens the directory of the tree, for another process that fills it. The caller must close it. */
  async openTree(): Promise<DirHandle> {
    // Unknown, so the whole file system is synced.
    this.#files = Number.POSITIVE_INFINITY
    return await this.#own.top.openDir('tree')
  }

  /**
   * Counts what another program has written to the tree, of which so many bytes will replace existing files. Throws
   * ErrDiskLimit when it does not fit.
   */
  async countFilled(replacedBytes: number, signal: AbortSignal): Promise<void> {
    let bytes = -replacedBytes
    for await (const { stats } of walkBelow(await this.#own.top.openDir('tree'), { signal }))
      if (stats.isFile()) bytes += Number(stats.size)
    await this.#own.reservation.write(Math.max(0, bytes), async () => {})
  }

  /** The names in the tree. */
  async names(): Promise<RawName[]> {
    await using tree = await this.#own.top.openDir('tree')
    return await tree.names()
  }

  /**
   * Replaces the contents of the target durably by the tree. On failure the former contents are put back; throws
   * `IncompleteReplacementError` when some could not be.
   */
  async replace(signal: AbortSignal): Promise<void> {
    await using staged = await this.#own.top.openDir('tree')
    await syncTree(staged, this.#files, signal)
    await withRefusals(this.#path, () => replaceContents({ tree: staged, target: this.#target, holder: this.#own.top }))
  }

  /** Places all entries durably. On failure or abort, new entries are removed again. */
  async merge(options: MergeOptions): Promise<void> {
    await using staged = await this.#own.top.openDir('tree')
    // First the content: a durable name must never refer to missing content.
    await syncTree(staged, this.#files, options.signal)
    await withRefusals(this.#path, async () => {
      await mergeInto({ root: this.#tree, tree: staged, target: this.#target, path: this.#path }, options)
    })
    this.#own.reservation.settle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#own.folders[Symbol.asyncDispose]()
    // The former files that a failed replacement could not put back.
    const isNeeded = await isUnfinished(this.#own.top)
    await this.#own.top[Symbol.asyncDispose]()
    // If the removal fails because the disk became read-only, it is removed when the server is loaded.
    if (!isNeeded) await removeIn(this.#target, this.#own.name).catch(() => {})
    this.#own.reservation[Symbol.dispose]()
    await this.#target[Symbol.asyncDispose]()
  }
}

interface StagingParts {
  readonly name: string
  readonly top: DirHandle
  readonly folders: DirHandleCache
  /** Whether new files have another owner than they should. */
  readonly isForeign: boolean
  /** The process's umask. */
  readonly umask: number
  /** Of the whole tree. */
  readonly reservation: SpaceReservation
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/** Creates a file; undefined when a directory has its name. */
async function createFile(folder: DirHandle, name: string, mode: number): Promise<FileHandle | undefined> {
  const make = () => open(folder.pathTo(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  return await make().catch(async (error: unknown) => {
    if (getCode(error) !== 'EEXIST') throw error
    return (await removeUnlessDir(folder, name)) ? await make() : undefined
  })
}

/** Removes a file. Returns false when it is a directory. */
async function removeUnlessDir(folder: DirHandle, name: string): Promise<boolean> {
  const isRemoved = await unlink(folder.pathTo(name)).then(() => true, ignoreErrors('EISDIR', 'EPERM'))
  return isRemoved ?? false
}
