import { type BigIntStats, constants, fchown, fstatSync, type Stats } from 'node:fs'
import { chown, type FileHandle, lstat, mkdir, open, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import { closeOnError } from '../../errors/cleanup.ts'
import { getCode, ignoreErrors } from '../../errors/error-code.ts'
import { ifExists } from '../../fs/if-exists.ts'
import type { Owner } from '../../fs/owner.ts'
import type { WriteBudget } from '../space/write-budget.ts'
import { chownTree } from './chown-tree.ts'
import type { DeniedFiles } from './denied-files.ts'
import { DirHandle, O_PATH, type RawName } from './dir-handle.ts'
import type { DiscardSink } from './discard-sink.ts'
import { findParent, formatPath, getChild, getName, outsideRoot, resolveNames, type SafePath } from './safe-path.ts'

const newFileMode = 0o644

/** Symbolic links followed when resolving one path. */
const maxSymlinks = 16

/** An open directory and a name in it, which may not exist. */
export interface DirEntryRef {
  readonly folder: DirHandle
  readonly name: string
  /** The path after links were followed. */
  readonly path: SafePath
  /** The file's stats if it existed, when a link at the end was to be followed. */
  readonly stats: BigIntStats | undefined
}

/** An open regular file with its stats. */
export interface OpenedHandle {
  readonly file: FileHandle
  readonly stats: BigIntStats
}

export interface TreeOptions {
  readonly owner?: Owner | undefined
  readonly discarded?: DiscardSink | undefined
  readonly budget?: WriteBudget | undefined
  /** What is kept from the user now. */
  readonly denied?: (() => DeniedFiles | undefined) | undefined
}

/**
 * Resolves paths in the directory of one server. Each path is resolved name by name from that directory's descriptor;
 * links are followed as far as they stay inside, and paths that lead out are refused, even if names change
 * concurrently. The caller must close returned handles.
 */
export class TreeRoot implements AsyncDisposable {
  /** The directory on the host. */
  readonly directory: string
  readonly root: DirHandle
  /** Receives what is deleted or replaced; without it, that is lost. */
  readonly discarded: DiscardSink | undefined
  /** Limits what is written; without it, only the disk does. */
  readonly budget: WriteBudget | undefined
  readonly #denied: (() => DeniedFiles | undefined) | undefined
  /** New files belong to the owner of the server's directory. */
  readonly #owner: Owner

  private constructor(directory: string, root: DirHandle, owner: Owner, { discarded, budget, denied }: TreeOptions) {
    this.directory = directory
    this.root = root
    this.discarded = discarded
    this.budget = budget
    this.#denied = denied
    this.#owner = owner
  }

  /** With `owner`, the directory and its contents are changed to that owner, unless they are already. */
  static async open(directory: string, options: TreeOptions = {}): Promise<TreeRoot> {
    const { owner } = options
    return await closeOnError(await DirHandle.open(directory), async (root) => {
      const { uid, gid } = await root.stat()
      if (!owner) return new TreeRoot(directory, root, { uid: Number(uid), gid: Number(gid) }, options)
      if (Number(uid) !== owner.uid) await chownTree(root, owner)
      return new TreeRoot(directory, root, owner, options)
    })
  }

  get owner(): Owner {
    return this.#owner
  }

  /** Changes everything to the owner that it had when it was opened. */
  async restoreOwner(): Promise<void> {
    await unlessForbidden(chownTree(this.root, this.#owner))
  }

  /** What is kept from the user of these files. Resolved paths of users are checked here, others must be elsewhere. */
  get denied(): DeniedFiles | undefined {
    return this.#denied?.()
  }

  /** The path of an open directory, without links. */
  async readPath(folder: DirHandle): Promise<SafePath> {
    const [root, inside] = [await readlink(this.root.path), await readlink(folder.path)]
    const below = inside === root ? '' : inside.startsWith(`${root}/`) ? inside.slice(root.length) : undefined
    const path = below === undefined ? undefined : resolveNames(below.split('/'))
    if (!path) throw new Refusal('ErrIllegalFileAccess')
    return path
  }

  /** Opens the directory at a path; `create` creates it and its parents. */
  async openDir(path: SafePath, { create = false } = {}): Promise<DirHandle> {
    let resolved = path
    for (let links = 0; links <= maxSymlinks; links++) {
      const end = await this.#descend(resolved, create)
      if (end instanceof DirHandle) return end
      resolved = end
    }
    throw outsideRoot(path)
  }

  /** Opens the parent directory of a path and returns it with the last name, after following links that stay inside. */
  async resolveParent(
    path: SafePath,
    { followLast, onlyStat = false }: { readonly followLast: boolean; readonly onlyStat?: boolean },
  ): Promise<DirEntryRef> {
    return await this.#inParent(path, async (parent, name, resolved) => {
      // What is listed may be looked at.
      if (!onlyStat) this.denied?.assertAllowed(resolved)
      const stats = followLast ? await lstatOrUndefined(parent, name) : undefined
      return stats?.isSymbolicLink() ? 'link' : { folder: parent.dup(), name, path: resolved, stats }
    })
  }

  /** Opens a regular file and returns its stats, after following links that stay inside. */
  async open(path: SafePath, flags: number, mode = newFileMode): Promise<OpenedHandle> {
    return await this.#inParent(path, async (folder, name, resolved) => {
      this.denied?.assertAllowed(resolved)
      try {
        return await this.openIn(folder, name, flags, path, mode)
      } catch (error) {
        if (getCode(error) === 'ELOOP') return 'link'
        throw error
      }
    })
  }

  /** Calls `act` with the parent directory; repeated for the target when the name is a link. */
  async #inParent<T extends object>(
    path: SafePath,
    act: (folder: DirHandle, name: string, path: SafePath) => Promise<T | 'link'>,
  ): Promise<T> {
    let resolved = path
    for (let links = 0; links <= maxSymlinks; links++) {
      const parent = findParent(resolved)
      if (!parent) throw new Refusal('ErrNotAFile', { path: formatPath(path) })
      const name = getName(resolved)
      const end = await this.#descend(parent, false)
      if (!(end instanceof DirHandle)) {
        resolved = getChild(end, name)
        continue
      }
      await using folder = end
      const done = await act(folder, name, resolved)
      if (done !== 'link') return done
      resolved = await this.#followLink(folder, resolved, resolved.length - 1, 'ErrFileNotFound')
    }
    throw outsideRoot(path)
  }

  /** Resolves the target of a link in a directory (whose path has no links). Returns undefined when it leads out. */
  async resolve(target: string, folder: readonly string[]): Promise<SafePath | undefined> {
    const start = target.startsWith('/') ? [] : folder
    const inside = target.startsWith('/') ? await this.#belowRoot(target) : target
    return inside === undefined ? undefined : resolveNames([...start, ...inside.split('/')])
  }

  /** Opens a regular file in a directory. Refuses other file types and hard links to files of another user. */
  async openFile(folder: DirHandle, name: RawName, flags: number, path: SafePath): Promise<FileHandle> {
    return (await this.openIn(folder, name, flags, path)).file
  }

  /** Like `openFile`, and returns its stats. */
  async openIn(
    folder: DirHandle,
    name: RawName,
    flags: number,
    path: SafePath,
    mode = newFileMode,
  ): Promise<OpenedHandle> {
    const file = await open(folder.pathTo(name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode)
    try {
      // The stats of a file opened just now are cached, also on network file systems; a thread would cost far more.
      const stats = fstatSync(file.fd, { bigint: true })
      this.check(stats, path)
      return { file, stats }
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Refuses everything but regular files that are the server's own. */
  check(stats: BigIntStats, path: SafePath): void {
    if (!stats.isFile()) throw new Refusal('ErrNotAFile', { path: formatPath(path) })
    // A hard link to a file of another user leads out too.
    if (stats.nlink > 1n && Number(stats.uid) !== this.#owner.uid) throw outsideRoot(path)
  }

  /** Changes a new file to the owner of the server's directory, if different. */
  async chown(fd: number, { uid, gid }: Pick<Stats | BigIntStats, 'uid' | 'gid'>): Promise<void> {
    if (this.#isForeign(Number(uid), Number(gid))) await this.chownNew(fd)
  }

  /** Changes a new file to the owner of the server's directory. */
  async chownNew(fd: number): Promise<void> {
    await unlessForbidden(change(fd, this.#owner.uid, this.#owner.gid))
  }

  /** Changes a new directory to the owner of the server's directory. */
  async chownDir(folder: DirHandle): Promise<void> {
    const { uid, gid } = await folder.stat()
    if (this.#isForeign(Number(uid), Number(gid))) {
      await unlessForbidden(chown(folder.path, this.#owner.uid, this.#owner.gid))
    }
  }

  /** Changes a new link to the owner of the server's directory. */
  async chownLink(folder: DirHandle, name: RawName): Promise<void> {
    // Through a descriptor: if the link is replaced, its target must not be changed.
    await using link = await open(folder.pathTo(name), O_PATH | constants.O_NOFOLLOW)
    const stats = await link.stat()
    if (!stats.isSymbolicLink() || !this.#isForeign(stats.uid, stats.gid)) return
    await unlessForbidden(chown(`/proc/self/fd/${link.fd}`, this.#owner.uid, this.#owner.gid))
  }

  /**
   * Keeps the contents of a regular file in the trash; the caller replaces the file afterwards. `path` has no link at its
   * end: the file is restored there.
   */
  async discardReplaced(folder: DirHandle, name: RawName, path: SafePath, nextModifiedNs?: bigint): Promise<void> {
    if (!this.discarded) return
    const stats = await lstatOrUndefined(folder, name)
    if (!stats?.isFile()) return
    await this.discarded.keep({ folder, name, path, stats, nextModifiedNs }, 'link', 'overwritten')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.discarded?.[Symbol.asyncDispose]()
    await this.root[Symbol.asyncDispose]()
  }

  /** Resolves from the server's directory to the end, or to the path that a link leads to. */
  async #descend(path: SafePath, create: boolean): Promise<DirHandle | SafePath> {
    if (path.length === 0) return this.root.dup()
    // After the last link that was followed, the path has none.
    this.denied?.assertAllowed(path)
    let folder = this.root
    let isThere = false
    try {
      for (const [at, name] of path.entries()) {
        const next = await this.#step(folder, name, create)
        if (!next) return await this.#followLink(folder, path, at, create ? 'ErrFileExists' : 'ErrFileNotFound')
        if (folder !== this.root) await folder[Symbol.asyncDispose]()
        folder = next
      }
      isThere = true
      return folder
    } finally {
      if (!isThere && folder !== this.root) await folder[Symbol.asyncDispose]()
    }
  }

  /** Opens the next directory; undefined when the name is not a directory. */
  async #step(folder: DirHandle, name: string, create: boolean): Promise<DirHandle | undefined> {
    try {
      return await folder.openDir(name)
    } catch (error) {
      if (['ENOTDIR', 'ELOOP'].includes(getCode(error))) return undefined
      if (getCode(error) !== 'ENOENT' || !create) throw error
    }
    const isNew = await mkdirIfMissing(folder.pathTo(name))
    const next = await folder.openDir(name)
    if (isNew) await this.chownDir(next)
    return next
  }

  /** Returns the path after following the link `path[at]`, which is in `folder`. No earlier name is a link. */
  async #followLink(folder: DirHandle, path: SafePath, at: number, noLink: RefusalCode): Promise<SafePath> {
    let target: string
    try {
      target = await readlink(folder.pathTo(path[at] ?? ''))
    } catch (error) {
      // Neither a directory nor a link.
      if (getCode(error) === 'EINVAL') throw new Refusal(noLink, { path: formatPath(path) }, { cause: error })
      throw error
    }
    const end = await this.resolve(target, path.slice(0, at))
    const instead = end && resolveNames([...end, ...path.slice(at + 1)])
    if (!instead) throw outsideRoot(path)
    return instead
  }

  /** The part of an absolute path below the server's directory, under its configured or its real path. */
  async #belowRoot(target: string): Promise<string | undefined> {
    const names = [this.directory, await readlink(this.root.path)]
    const prefix = names.find((name) => target === name || target.startsWith(`${name}/`))
    return prefix === undefined ? undefined : target.slice(prefix.length)
  }

  #isForeign(uid: number, gid: number): boolean {
    return uid !== this.#owner.uid || gid !== this.#owner.gid
  }
}

const change = promisify(fchown)

/** Returns the stats of a name in a directory, of a link itself; undefined when it does not exist. */
export async function lstatOrUndefined(folder: DirHandle, name: RawName): Promise<BigIntStats | undefined> {
  return await ifExists(lstat(folder.pathTo(name), { bigint: true }))
}

/** Creates a directory. Returns whether it is new. */
export async function mkdirIfMissing(path: RawName, mode = 0o755): Promise<boolean> {
  try {
    await mkdir(path, mode)
    return true
  } catch (error) {
    if (getCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Only root can chown: without root, the daemon keeps files as its own. */
async function unlessForbidden(giving: Promise<void>): Promise<void> {
  await giving.catch(ignoreErrors('EPERM'))
}
