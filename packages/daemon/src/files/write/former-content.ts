import type { BigIntStats } from 'node:fs'
import {
  chown,
  copyFile,
  type FileHandle,
  constants as fsConstants,
  link,
  rename,
  unlink,
  utimes,
} from 'node:fs/promises'
import { withLock } from '@innkeeper/contract/mutex'
import { withRollback } from '../../errors/cleanup.ts'
import { codeOf, ignoreErrors } from '../../errors/error-code.ts'
import { ignoreRefusals, isRefusal } from '../../errors/refusals.ts'
import type { DirHandle } from '../path/dir-handle.ts'
import type { SafePath } from '../path/safe-path.ts'
import { temporaryName } from '../path/temporary.ts'
import { type DirEntryRef, lstatOrUndefined, type TreeRoot } from '../path/tree-root.ts'
import { withRefusals } from '../path/with-refusals.ts'
import { secondsOf } from '../read/file-stat.ts'
import { type Flags, openFile, openNew } from '../read/opening.ts'
import { lockKeyOf, noHardLinkCodes } from './rename-exclusive.ts'

/** An opened file, and what was in it. */
export interface Overwriting {
  readonly file: FileHandle
  readonly former: FormerContent | undefined
}

interface Source extends DirEntryRef {
  readonly stats: BigIntStats
}

/**
 * The former content of a file that is being overwritten: in the trash, and under a temporary name until it is
 * disposed, so that it can be put back when the new content does not fit on the disk.
 */
export class FormerContent implements AsyncDisposable {
  readonly #tree: TreeRoot
  readonly #folder: DirHandle
  readonly #source: Source
  readonly #temporary: string
  /** Inode of the file with the new content. */
  readonly #current: bigint
  #isDone = false

  private constructor(tree: TreeRoot, source: Source, temporary: string, current: bigint) {
    this.#tree = tree
    this.#folder = source.folder.dup()
    this.#source = source
    this.#temporary = temporary
    this.#current = current
  }

  /** Keeps the content that has a temporary name in the trash. */
  static async keep(tree: TreeRoot, source: Source, temporary: string, current: bigint): Promise<FormerContent> {
    const { folder, name, path, stats } = source
    await tree.discarded?.keep({ folder, name, path, stats, source: temporary }, 'link', 'overwritten')
    return new FormerContent(tree, source, temporary, current)
  }

  /** Its size, which does not count for the limit of the server until this is disposed. */
  get bytes(): number {
    return Number(this.#source.stats.size)
  }

  /** Replaces the new content with the former one, unless another file has the name by now. */
  async putBack(): Promise<void> {
    const { name } = this.#source
    await withLock([await lockKeyOf(this.#folder, name)], async () => {
      const now = await lstatOrUndefined(this.#folder, name)
      if (this.#isDone || now?.ino !== this.#current) return
      await this.#release()
      await rename(this.#folder.pathTo(this.#temporary), this.#folder.pathTo(name))
      this.#isDone = true
    })
  }

  async #hasRoom(): Promise<boolean> {
    const asserting = this.#tree.budget?.assertRoom(0)
    return (await asserting?.then(() => true, ignoreRefusals('ErrDiskLimit', 'ErrDisk'))) ?? asserting === undefined
  }

  /** The trash does not keep it. */
  async #release(): Promise<void> {
    const stats = await lstatOrUndefined(this.#folder, this.#temporary)
    if (stats) await this.#tree.discarded?.release(this.#source.path, stats.ino)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The trash counts, but does not stand in the way of what replaced this.
    if (!this.#isDone && !(await this.#hasRoom())) await this.#release()
    // If the removal fails because the disk became read-only, it is removed when the server is loaded.
    if (!this.#isDone) await unlink(this.#folder.pathTo(this.#temporary)).catch(() => {})
    this.#isDone = true
    this.#folder.close()
  }
}

/**
 * Opens a file and empties it. A file with content is replaced by a new one, which costs no copy; a file that has other
 * names, or is open elsewhere (`isOpen`), is copied and emptied in place. The file keeps its content, or is empty, at any
 * time: whatever fails, its name stays.
 */
export async function openToOverwrite(
  tree: TreeRoot,
  path: SafePath,
  flags: Flags,
  isOpen: (stats: BigIntStats) => Promise<boolean>,
): Promise<Overwriting> {
  // As any other open: it may be no file, or not writable.
  const old = await openFile(tree, path, { ...flags, create: false, truncate: false })
  return await withRollback(overwrite(tree, path, { flags, isOpen, old }), () => old.close())
}

async function overwrite(
  tree: TreeRoot,
  path: SafePath,
  {
    flags,
    isOpen,
    old,
  }: { readonly flags: Flags; readonly isOpen: (stats: BigIntStats) => Promise<boolean>; readonly old: FileHandle },
): Promise<Overwriting> {
  const stats = await old.stat({ bigint: true })
  if (stats.size > 0n && stats.nlink === 1n && !(await isOpen(stats))) {
    const replaced = await withSource(tree, path, stats, (source) => replace(tree, source, flags))
    if (replaced) {
      await old.close()
      return replaced
    }
  }
  const former = stats.size > 0n ? await setAside(tree, path, old) : undefined
  await withRollback(old.truncate(0), () => former?.[Symbol.asyncDispose]())
  return { file: old, former }
}

/** Replaces a file with an empty one. Returns undefined when the file system has no hard links. */
async function replace(tree: TreeRoot, source: Source, flags: Flags): Promise<Overwriting | undefined> {
  const { folder, name, stats, path } = source
  const [aside, fresh] = [temporaryName(), temporaryName()]
  return await withLock([await lockKeyOf(folder, name)], async () => {
    if (!(await linkIfSupported(folder.pathTo(name), folder.pathTo(aside)))) return undefined
    let file: FileHandle | undefined
    let former: FormerContent | undefined
    try {
      file = await openNew(tree, folder, fresh, flags)
      await file.chmod(Number(stats.mode) & 0o777)
      const { ino } = await file.stat({ bigint: true })
      former = await FormerContent.keep(tree, source, aside, ino)
      await rename(folder.pathTo(fresh), folder.pathTo(name))
      return { file, former }
    } catch (error) {
      await file?.close()
      await former?.[Symbol.asyncDispose]()
      for (const name of [aside, fresh]) await unlink(folder.pathTo(name)).catch(ignoreErrors('ENOENT'))
      if (former) await tree.discarded?.release(path, stats.ino)
      throw error
    }
  })
}

async function linkIfSupported(from: string, to: string): Promise<boolean> {
  return (await link(from, to).then(() => true, ignoreErrors(...noHardLinkCodes))) ?? false
}

/**
 * Copies the content of a file that is about to be changed in place. Throws when the copy does not fit; returns undefined
 * when the file has no longer this path, or cannot be read.
 */
export async function setAside(tree: TreeRoot, path: SafePath, file: FileHandle): Promise<FormerContent | undefined> {
  const stats = await file.stat({ bigint: true })
  return await withSource(tree, path, stats, async (source) => {
    const temporary = temporaryName()
    const target = source.folder.pathTo(temporary)
    const mode = fsConstants.COPYFILE_EXCL | fsConstants.COPYFILE_FICLONE
    const copying = copyFile(`/proc/self/fd/${file.fd}`, target, mode)
    const isCopied = await copying.then(() => true, ignoreErrors('EACCES'))
    if (!isCopied) return undefined
    const kept = utimes(target, secondsOf(stats.atimeNs), secondsOf(stats.mtimeNs))
      .then(() => chown(target, Number(stats.uid), Number(stats.gid)).catch(ignoreErrors('EPERM')))
      .then(() => FormerContent.keep(tree, source, temporary, stats.ino))
    return await withRollback(kept, () => unlink(target).catch(ignoreErrors('ENOENT')))
  })
}

/** Finds the directory and the name of an opened file. Returns undefined when another file has its path by now. */
async function withSource<T>(
  tree: TreeRoot,
  path: SafePath,
  stats: BigIntStats,
  act: (source: Source) => Promise<T | undefined>,
): Promise<T | undefined> {
  return await withRefusals(path, async () => {
    const entry = await tree.resolveParent(path, { followLast: true })
    await using _ = entry.folder
    if (entry.stats?.ino !== stats.ino || entry.stats.dev !== stats.dev) return undefined
    return await act({ ...entry, stats })
  })
}

/** Whether a write failed because there is no space, by the limit of the server or the disk. */
export function isOutOfSpace(error: unknown): boolean {
  return isRefusal(error, 'ErrDiskLimit') || isRefusal(error, 'ErrDisk') || ['ENOSPC', 'EDQUOT'].includes(codeOf(error))
}
