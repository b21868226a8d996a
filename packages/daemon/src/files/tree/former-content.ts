import type { BigIntStats } from 'node:fs'
import {
  chown,
  copyFile,
  type FileHandle,
  constants as fsConstants,
  link,
  lstat,
  rename,
  rmdir,
  unlink,
  utimes,
} from 'node:fs/promises'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { withRollback } from '../../errors/cleanup.ts'
import { getCode, ignoreErrors } from '../../errors/error-code.ts'
import { ignoreRefusals, isRefusal } from '../../errors/refusals.ts'
import { ifExists } from '../../fs/if-exists.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { formerContentName, temporaryName } from '../path/names.ts'
import { type SafePath, withRefusals } from '../path/safe-path.ts'
import { type DirEntryRef, lstatOrUndefined, type TreeRoot } from '../path/tree-root.ts'
import { getSeconds } from '../read/file-stat.ts'
import { type Flags, openFile, openNew } from '../read/opening.ts'
import { getLockKey, noHardLinkCodes } from '../write/rename-exclusive.ts'
import { removeIn } from './remove-tree.ts'

/** An opened file, and what was in it. */
export interface Overwriting {
  readonly file: FileHandle
  readonly former: FormerContent | undefined
}

interface Source extends DirEntryRef {
  readonly stats: BigIntStats
}

/**
 * The former content of a file that is being overwritten: in the trash, and in a temporary directory until it is
 * disposed, so that it can be put back when the new content does not fit on the disk. The next daemon puts it back when
 * this one ends before, see `recoverFormerContent`.
 */
export class FormerContent implements AsyncDisposable {
  readonly #tree: TreeRoot
  readonly #folder: DirHandle
  readonly #source: Source
  /** The name of the temporary directory. */
  readonly #aside: string
  /** Inode of the file with the new content. */
  readonly #current: bigint
  #isDone = false

  private constructor(tree: TreeRoot, source: Source, aside: string, current: bigint) {
    this.#tree = tree
    this.#folder = source.folder.dup()
    this.#source = source
    this.#aside = aside
    this.#current = current
  }

  /** Keeps the content that is in a temporary directory in the trash. */
  static async keep(tree: TreeRoot, source: Source, aside: string, current: bigint): Promise<FormerContent> {
    const { folder, name, path, stats } = source
    await tree.discarded?.keep({ folder, name, path, stats, source: `${aside}/${name}` }, 'link', 'overwritten')
    return new FormerContent(tree, source, aside, current)
  }

  /** Its size, which does not count for the limit of the server until this is disposed. */
  get bytes(): number {
    return Number(this.#source.stats.size)
  }

  /** Replaces the new content with the former one, unless another file has the name by now. */
  async putBack(): Promise<void> {
    const { name } = this.#source
    await withLock([await getLockKey(this.#folder, name)], async () => {
      const now = await lstatOrUndefined(this.#folder, name)
      if (this.#isDone || now?.ino !== this.#current) return
      await this.#release()
      await rename(this.#path, this.#folder.pathTo(name))
      await rmdir(this.#folder.pathTo(this.#aside))
      this.#isDone = true
    })
  }

  get #path(): string {
    return this.#folder.pathTo(`${this.#aside}/${this.#source.name}`)
  }

  async #hasRoom(): Promise<boolean> {
    const asserting = this.#tree.budget?.assertRoom(0)
    return (await asserting?.then(() => true, ignoreRefusals('ErrDiskLimit', 'ErrDisk'))) ?? asserting === undefined
  }

  /** The trash does not keep it. */
  async #release(): Promise<void> {
    const stats = await ifExists(lstat(this.#path, { bigint: true }))
    if (stats) await this.#tree.discarded?.release(this.#source.path, stats.ino)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The trash counts, but does not stand in the way of what replaced this.
    if (!this.#isDone && !(await this.#hasRoom())) await this.#release()
    // If the removal fails because the disk became read-only, it is removed when the server is loaded.
    if (!this.#isDone) await removeAside(this.#folder, this.#aside, this.#source.name).catch(() => {})
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
  const fresh = temporaryName()
  return await withLock([await getLockKey(folder, name)], async () => {
    let file: FileHandle | undefined
    let former: FormerContent | undefined
    const undo = async () => {
      await file?.close()
      await former?.[Symbol.asyncDispose]()
      await unlink(folder.pathTo(fresh)).catch(ignoreErrors('ENOENT'))
      if (former) await tree.discarded?.release(path, stats.ino)
    }
    const replacing = async () => {
      file = await openNew(tree, folder, fresh, flags)
      await file.chmod(Number(stats.mode) & 0o777)
      const { ino } = await file.stat({ bigint: true })
      const put = (to: string) => link(folder.pathTo(name), to)
      const aside = await putAside(source, ino, put).catch(ignoreErrors(...noHardLinkCodes))
      if (aside === undefined) return await undo()
      former = await FormerContent.keep(tree, source, aside, ino)
      await rename(folder.pathTo(fresh), folder.pathTo(name))
      return { file, former }
    }
    return (await withRollback(replacing(), undo)) ?? undefined
  })
}

/** Puts the content of a file into a temporary directory beside it, and returns the name of the directory. */
async function putAside(
  { folder, name }: Pick<Source, 'folder' | 'name'>,
  current: bigint,
  put: (to: string) => Promise<void>,
): Promise<string> {
  const aside = formerContentName(current)
  await using held = await folder.makePrivateDir(aside)
  await withRollback(put(held.pathTo(name)), () => removeAside(folder, aside, name))
  return aside
}

async function removeAside(folder: DirHandle, aside: string, name: string): Promise<void> {
  await unlink(folder.pathTo(`${aside}/${name}`)).catch(ignoreErrors('ENOENT'))
  await rmdir(folder.pathTo(aside))
}

/**
 * Copies the content of a file that is about to be changed in place. Throws when the copy does not fit; returns undefined
 * when the file has no longer this path, or cannot be read.
 */
export async function setAside(tree: TreeRoot, path: SafePath, file: FileHandle): Promise<FormerContent | undefined> {
  const stats = await file.stat({ bigint: true })
  return await withSource(tree, path, stats, async (source) => {
    const copy = (to: string) => copyWithOwner(`/proc/self/fd/${file.fd}`, to, stats)
    const aside = await putAside(source, stats.ino, copy).catch(ignoreErrors('EACCES'))
    if (aside === undefined) return undefined
    const keeping = FormerContent.keep(tree, source, aside, stats.ino)
    return await withRollback(keeping, () => removeAside(source.folder, aside, source.name))
  })
}

/** Copies a file with its mode, times and, as root, its owner. */
async function copyWithOwner(from: RawName, to: string, stats: BigIntStats): Promise<void> {
  await copyFile(from, to, fsConstants.COPYFILE_EXCL | fsConstants.COPYFILE_FICLONE)
  await utimes(to, getSeconds(stats.atimeNs), getSeconds(stats.mtimeNs))
  await chown(to, Number(stats.uid), Number(stats.gid)).catch(ignoreErrors('EPERM'))
}

/**
 * Puts a former content back that an earlier daemon has left in a directory of this name, unless another file than the
 * one that it was writing (`current`) has its name by now, and removes the directory.
 */
export async function recoverFormerContent(folder: DirHandle, aside: string, current: bigint): Promise<void> {
  {
    await using held = await folder.openDir(aside)
    const { uid, mode } = await held.stat()
    // Only the daemon can have filled it.
    const isOurs = Number(uid) === process.getuid?.() && (Number(mode) & 0o777) === 0o700
    for (const name of isOurs ? await held.names() : []) {
      await withLock([await getLockKey(folder, name)], async () => {
        if ((await lstatOrUndefined(folder, name))?.ino === current) await putBackInto(folder, held, name)
      })
    }
  }
  await removeIn(folder, aside)
}

async function putBackInto(folder: DirHandle, held: DirHandle, name: RawName): Promise<void> {
  const stats = await lstatOrUndefined(held, name)
  if (!stats?.isFile()) return
  let source: RawName = name
  if (stats.nlink > 1n) {
    // The other one is in the trash, which must not change with the file. On a full disk they stay the same.
    const copy = temporaryName()
    const copied = copyWithOwner(held.pathTo(name), held.pathTo(copy), stats).then(() => copy)
    source = (await copied.catch(ignoreErrors('ENOSPC', 'EDQUOT'))) ?? name
  }
  await rename(held.pathTo(source), folder.pathTo(name))
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
  return (
    isRefusal(error, 'ErrDiskLimit') || isRefusal(error, 'ErrDisk') || ['ENOSPC', 'EDQUOT'].includes(getCode(error))
  )
}
