import { type BigIntStats, constants, fchown, fchownSync, fstatSync, type Stats } from 'node:fs'
import { chown, type FileHandle, lstat, mkdir, open, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { limits } from '@innkeeper/contract/limits'
import { Refusal, type RefusalCode } from '@innkeeper/contract/refusals'
import { codeOf } from '../error-code.ts'
import { type MaybePromise, type OpenedFd, openAsyncFast, openSyncFast } from '../read/sync-fast-path.ts'
import { SyncIoPolicy } from '../read/sync-io-policy.ts'
import { chownTree } from '../tree/chown-tree.ts'
import { DirHandle, O_PATH, type RawName } from './dir-handle.ts'
import { childOf, formatPath, nameOf, parentOf, resolveNames, type SafePath } from './safe-path.ts'
import { outsideRoot } from './with-refusals.ts'

/** Where something is, or could be: a held folder and a name in it. */
export interface DirEntryRef {
  readonly folder: DirHandle
  readonly name: string
  /** The way there without the links that were followed. */
  readonly path: SafePath
  /** What was there a moment ago, when a link at the end was to be followed. */
  readonly stats: BigIntStats | undefined
}

/** A user of the system and their group. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A regular file that is open, and what it was at that moment. */
export interface OpenedHandle {
  readonly file: FileHandle
  readonly stats: BigIntStats
}

/**
 * The ways through the folder of one server. Each is walked name by name from the descriptor of that folder; links are
 * followed as far as they stay inside, and what leads out is refused, whatever changes meanwhile. Whoever is given a held
 * folder lets go of it.
 */
export class TreeRoot implements AsyncDisposable {
  /** Where the folder is on this machine. */
  readonly directory: string
  readonly root: DirHandle
  readonly syncIo: SyncIoPolicy
  /** New files belong to whoever owns the server's folder. */
  readonly #owner: Owner

  private constructor(directory: string, root: DirHandle, owner: Owner) {
    this.directory = directory
    this.root = root
    this.syncIo = new SyncIoPolicy(root)
    this.#owner = owner
  }

  /** With `owner` the folder and all that is in it is given to them, unless it is theirs. */
  static async open(directory: string, owner?: Owner): Promise<TreeRoot> {
    const root = await DirHandle.open(directory)
    try {
      const { uid, gid } = await root.stat()
      if (!owner) return new TreeRoot(directory, root, { uid: Number(uid), gid: Number(gid) })
      if (Number(uid) !== owner.uid) await chownTree(root, owner)
      return new TreeRoot(directory, root, owner)
    } catch (error) {
      await root[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Holds the folder at the end of a path; `create` makes it and those above it. */
  async openDir(path: SafePath, { create = false } = {}): Promise<DirHandle> {
    let resolved = path
    for (let links = 0; links <= limits.linksFollowed; links++) {
      const end = await this.#descend(resolved, create)
      if (end instanceof DirHandle) return end
      resolved = end
    }
    throw outsideRoot(path)
  }

  /** The folder that the last name of a path is in, held, and that name; after links that stay inside. */
  async resolveParent(path: SafePath, { followLast }: { followLast: boolean }): Promise<DirEntryRef> {
    return await this.#inParent(path, async (parent, name, resolved) => {
      const stats = followLast ? await lstatOrUndefined(parent, name) : undefined
      return stats?.isSymbolicLink() ? 'link' : { folder: parent.dup(), name, path: resolved, stats }
    })
  }

  /** Opens a regular file, behind links that stay inside, and says what it is. */
  async open(path: SafePath, flags: number): Promise<OpenedHandle> {
    return await this.#inParent(path, async (folder, name) => {
      try {
        return await this.openIn(folder, name, flags, path)
      } catch (error) {
        if (codeOf(error) === 'ELOOP') return 'link'
        throw error
      }
    })
  }

  /** Like `open`, without a thread; `undefined` when threads must find the way, or tell what is in it. */
  openSync(path: SafePath, flags: number): OpenedFd | undefined {
    return openSyncFast(this.root, path, flags, (stats) => this.check(stats, path))
  }

  /** Like `openAtOnce`, with a thread for the opening itself. */
  openAsync(path: SafePath, flags: number): Promise<OpenedFd | undefined> {
    return openAsyncFast(this.root, path, flags, (stats) => this.check(stats, path))
  }

  /** Acts in the folder that the last name of a path is in; again behind the link, when a link has that name. */
  async #inParent<T extends object>(
    path: SafePath,
    act: (folder: DirHandle, name: string, path: SafePath) => Promise<T | 'link'>,
  ): Promise<T> {
    let resolved = path
    for (let links = 0; links <= limits.linksFollowed; links++) {
      const parent = parentOf(resolved)
      if (!parent) throw new Refusal('ErrNotAFile', { path: formatPath(path) })
      const name = nameOf(resolved)
      const end = await this.#descend(parent, false)
      if (!(end instanceof DirHandle)) {
        resolved = childOf(end, name)
        continue
      }
      await using folder = end
      const done = await act(folder, name, resolved)
      if (done !== 'link') return done
      resolved = await this.#followLink(folder, resolved, resolved.length - 1, 'ErrFileNotFound')
    }
    throw outsideRoot(path)
  }

  /** Where a link leads that stands in a folder to which no links lead; `undefined` when it leads out. */
  async resolve(target: string, folder: readonly string[]): Promise<SafePath | undefined> {
    const start = target.startsWith('/') ? [] : folder
    const inside = target.startsWith('/') ? await this.#belowRoot(target) : target
    return inside === undefined ? undefined : resolveNames([...start, ...inside.split('/')])
  }

  /** Opens a regular file in a held folder. Nothing else stays open, nor a link to a file of somebody else. */
  async openFile(folder: DirHandle, name: RawName, flags: number, path: SafePath): Promise<FileHandle> {
    return (await this.openIn(folder, name, flags, path)).file
  }

  /** Like `openFile`, and says what it is. */
  async openIn(folder: DirHandle, name: RawName, flags: number, path: SafePath): Promise<OpenedHandle> {
    const file = await open(folder.pathTo(name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644)
    try {
      // What was opened just now is known, also of a file on another machine: a thread for it would cost far more.
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
    // A hard link to a file of somebody else is a way out too.
    if (stats.nlink > 1n && Number(stats.uid) !== this.#owner.uid) throw outsideRoot(path)
  }

  /** Gives a new file to whom the server's folder belongs, unless it is theirs. */
  async chown(fd: number, { uid, gid }: Pick<Stats | BigIntStats, 'uid' | 'gid'>): Promise<void> {
    if (this.#isForeign(Number(uid), Number(gid))) await this.#chown(fd)
  }

  /** Like `own`, without a thread. */
  chownSync({ fd, stats: { uid, gid } }: OpenedFd): void {
    if (this.#isForeign(Number(uid), Number(gid))) this.#chownSync(fd)
  }

  /** Gives a new file to whom the server's folder belongs; at once where the disk is quick. */
  chownNew(fd: number): MaybePromise<void> {
    return this.syncIo.mayBlock ? this.syncIo.runSync(() => this.#chownSync(fd)) : this.#chown(fd)
  }

  /** Gives a new folder to whom the server's folder belongs. */
  async chownDir(folder: DirHandle): Promise<void> {
    const { uid, gid } = await folder.stat()
    if (this.#isForeign(Number(uid), Number(gid))) {
      await unlessForbidden(chown(folder.path, this.#owner.uid, this.#owner.gid))
    }
  }

  /** Gives a new link to whom the server's folder belongs. */
  async chownLink(folder: DirHandle, name: RawName): Promise<void> {
    // By a descriptor: a link that was put in its place must not give away what it leads to.
    await using link = await open(folder.pathTo(name), O_PATH | constants.O_NOFOLLOW)
    const stats = await link.stat()
    if (!stats.isSymbolicLink() || !this.#isForeign(stats.uid, stats.gid)) return
    await unlessForbidden(chown(`/proc/self/fd/${link.fd}`, this.#owner.uid, this.#owner.gid))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.root[Symbol.asyncDispose]()
  }

  /** Walks from the server's folder until the end, or until a link says where to go on instead. */
  async #descend(path: SafePath, create: boolean): Promise<DirHandle | SafePath> {
    if (path.length === 0) return this.root.dup()
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

  /** Holds the next folder; `undefined` when the name is not one of a folder. */
  async #step(folder: DirHandle, name: string, create: boolean): Promise<DirHandle | undefined> {
    try {
      return await folder.openDir(name)
    } catch (error) {
      if (['ENOTDIR', 'ELOOP'].includes(codeOf(error))) return undefined
      if (codeOf(error) !== 'ENOENT' || !create) throw error
    }
    const isNew = await mkdirIfMissing(folder.pathTo(name))
    const next = await folder.openDir(name)
    if (isNew) await this.chownDir(next)
    return next
  }

  /** The way on behind a link, which stands at `way[at]` in the held folder. No name before it is one of a link. */
  async #followLink(folder: DirHandle, path: SafePath, at: number, noLink: RefusalCode): Promise<SafePath> {
    let target: string
    try {
      target = await readlink(folder.pathTo(path[at] ?? ''))
    } catch (error) {
      // It is something that is neither folder nor link, in the place of a folder.
      if (codeOf(error) === 'EINVAL') throw new Refusal(noLink, { path: formatPath(path) }, { cause: error })
      throw error
    }
    const end = await this.resolve(target, path.slice(0, at))
    const instead = end && resolveNames([...end, ...path.slice(at + 1)])
    if (!instead) throw outsideRoot(path)
    return instead
  }

  /** What is left of an absolute path behind the server's folder, under the name we have for it or its real one. */
  async #belowRoot(target: string): Promise<string | undefined> {
    const names = [this.directory, await readlink(this.root.path)]
    const prefix = names.find((name) => target === name || target.startsWith(`${name}/`))
    return prefix === undefined ? undefined : target.slice(prefix.length)
  }

  async #chown(fd: number): Promise<void> {
    await unlessForbidden(change(fd, this.#owner.uid, this.#owner.gid))
  }

  #chownSync(fd: number): void {
    try {
      fchownSync(fd, this.#owner.uid, this.#owner.gid)
    } catch (error) {
      if (codeOf(error) !== 'EPERM') throw error
    }
  }

  #isForeign(uid: number, gid: number): boolean {
    return uid !== this.#owner.uid || gid !== this.#owner.gid
  }
}

const change = promisify(fchown)

/** What has a name in a held folder, a link itself; `undefined` when nothing has. */
export async function lstatOrUndefined(folder: DirHandle, name: RawName): Promise<BigIntStats | undefined> {
  try {
    return await lstat(folder.pathTo(name), { bigint: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Makes a folder; says whether it was not there before. */
export async function mkdirIfMissing(path: RawName, mode = 0o755): Promise<boolean> {
  try {
    await mkdir(path, mode)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Only root gives files away: a daemon that is not keeps them as its own. */
async function unlessForbidden(giving: Promise<void>): Promise<void> {
  try {
    await giving
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error
  }
}
