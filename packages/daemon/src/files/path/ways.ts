import { type BigIntStats, constants, fchown, fchownSync, fstatSync, type Stats } from 'node:fs'
import { chown, type FileHandle, lstat, mkdir, open, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { limits } from '@innkeeper/contract/limits'
import { Refusal, type RefusalCode } from '@innkeeper/contract/refusals'
import { codeOf } from '../error-code.ts'
import { DiskPace } from '../read/disk-pace.ts'
import { openStraight, openStraightByThread, type Soon, type StraightOpened } from '../read/straight.ts'
import { giveAway } from '../tree/give-away.ts'
import { HeldFolder, O_PATH, type RawName } from './held-folder.ts'
import { leadsOut } from './naming.ts'
import { childOf, formatPath, nameOf, parentOf, resolveNames, type SafePath } from './safe-path.ts'

/** Where something is, or could be: a held folder and a name in it. */
export interface Place {
  readonly folder: HeldFolder
  readonly name: string
  /** The way there without the links that were followed. */
  readonly way: SafePath
  /** What was there a moment ago, when a link at the end was to be followed. */
  readonly there: BigIntStats | undefined
}

/** A user of the system and their group. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A regular file that is open, and what it was at that moment. */
export interface Opened {
  readonly file: FileHandle
  readonly found: BigIntStats
}

/**
 * The ways through the folder of one server. Each is walked name by name from the descriptor of that folder; links are
 * followed as far as they stay inside, and what leads out is refused, whatever changes meanwhile. Whoever is given a held
 * folder lets go of it.
 */
export class Ways implements AsyncDisposable {
  /** Where the folder is on this machine. */
  readonly directory: string
  readonly root: HeldFolder
  readonly pace: DiskPace
  /** New files belong to whoever owns the server's folder. */
  readonly #owner: Owner

  private constructor(directory: string, root: HeldFolder, owner: Owner) {
    this.directory = directory
    this.root = root
    this.pace = new DiskPace(root)
    this.#owner = owner
  }

  /** With `owner` the folder and all that is in it is given to them, unless it is theirs. */
  static async open(directory: string, owner?: Owner): Promise<Ways> {
    const root = await HeldFolder.open(directory)
    try {
      const { uid, gid } = await root.stat()
      if (!owner) return new Ways(directory, root, { uid: Number(uid), gid: Number(gid) })
      if (Number(uid) !== owner.uid) await giveAway(root, owner)
      return new Ways(directory, root, owner)
    } catch (error) {
      await root[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Holds the folder at the end of a path; `create` makes it and those above it. */
  async enter(path: SafePath, { create = false } = {}): Promise<HeldFolder> {
    let way = path
    for (let links = 0; links <= limits.linksFollowed; links++) {
      const end = await this.#descend(way, create)
      if (end instanceof HeldFolder) return end
      way = end
    }
    throw leadsOut(path)
  }

  /** The folder that the last name of a path is in, held, and that name; after links that stay inside. */
  async reach(path: SafePath, { followLast }: { followLast: boolean }): Promise<Place> {
    return await this.#atEnd(path, async (held, name, way) => {
      const there = followLast ? await presence(held, name) : undefined
      return there?.isSymbolicLink() ? 'link' : { folder: held.share(), name, way, there }
    })
  }

  /** Opens a regular file, behind links that stay inside, and says what it is. */
  async open(path: SafePath, flags: number): Promise<Opened> {
    return await this.#atEnd(path, async (folder, name) => {
      try {
        return await this.openIn(folder, name, flags, path)
      } catch (error) {
        if (codeOf(error) === 'ELOOP') return 'link'
        throw error
      }
    })
  }

  /** Like `open`, without a thread; `undefined` when threads must find the way, or tell what is in it. */
  openAtOnce(path: SafePath, flags: number): StraightOpened | undefined {
    return openStraight(this.root, path, flags, (found) => this.check(found, path))
  }

  /** Like `openAtOnce`, with a thread for the opening itself. */
  openByThread(path: SafePath, flags: number): Promise<StraightOpened | undefined> {
    return openStraightByThread(this.root, path, flags, (found) => this.check(found, path))
  }

  /** Acts in the folder that the last name of a path is in; again behind the link, when a link has that name. */
  async #atEnd<T extends object>(
    path: SafePath,
    act: (folder: HeldFolder, name: string, way: SafePath) => Promise<T | 'link'>,
  ): Promise<T> {
    let way = path
    for (let links = 0; links <= limits.linksFollowed; links++) {
      const parent = parentOf(way)
      if (!parent) throw new Refusal('ErrNotAFile', { path: formatPath(path) })
      const name = nameOf(way)
      const end = await this.#descend(parent, false)
      if (!(end instanceof HeldFolder)) {
        way = childOf(end, name)
        continue
      }
      await using folder = end
      const done = await act(folder, name, way)
      if (done !== 'link') return done
      way = await this.#behindLink(folder, way, way.length - 1, 'ErrFileNotFound')
    }
    throw leadsOut(path)
  }

  /** Where a link leads that stands in a folder to which no links lead; `undefined` when it leads out. */
  async resolve(target: string, folder: readonly string[]): Promise<SafePath | undefined> {
    const start = target.startsWith('/') ? [] : folder
    const inside = target.startsWith('/') ? await this.#belowRoot(target) : target
    return inside === undefined ? undefined : resolveNames([...start, ...inside.split('/')])
  }

  /** Opens a regular file in a held folder. Nothing else stays open, nor a link to a file of somebody else. */
  async openFile(folder: HeldFolder, name: RawName, flags: number, path: SafePath): Promise<FileHandle> {
    return (await this.openIn(folder, name, flags, path)).file
  }

  /** Like `openFile`, and says what it is. */
  async openIn(folder: HeldFolder, name: RawName, flags: number, path: SafePath): Promise<Opened> {
    const file = await open(folder.at(name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644)
    try {
      // What was opened just now is known, also of a file on another machine: a thread for it would cost far more.
      const found = fstatSync(file.fd, { bigint: true })
      this.check(found, path)
      return { file, found }
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Refuses everything but regular files that are the server's own. */
  check(found: BigIntStats, path: SafePath): void {
    if (!found.isFile()) throw new Refusal('ErrNotAFile', { path: formatPath(path) })
    // A hard link to a file of somebody else is a way out too.
    if (found.nlink > 1n && Number(found.uid) !== this.#owner.uid) throw leadsOut(path)
  }

  /** Gives a new file to whom the server's folder belongs, unless it is theirs. */
  async own(fd: number, { uid, gid }: Pick<Stats | BigIntStats, 'uid' | 'gid'>): Promise<void> {
    if (this.#isForeign(Number(uid), Number(gid))) await this.#give(fd)
  }

  /** Like `own`, without a thread. */
  ownAtOnce({ fd, found: { uid, gid } }: StraightOpened): void {
    if (this.#isForeign(Number(uid), Number(gid))) this.#giveAtOnce(fd)
  }

  /** Gives a new file to whom the server's folder belongs; at once where the disk is quick. */
  give(fd: number): Soon<void> {
    return this.pace.isQuick ? this.pace.atOnce(() => this.#giveAtOnce(fd)) : this.#give(fd)
  }

  /** Gives a new folder to whom the server's folder belongs. */
  async ownFolder(folder: HeldFolder): Promise<void> {
    const { uid, gid } = await folder.stat()
    if (this.#isForeign(Number(uid), Number(gid))) {
      await unlessForbidden(chown(folder.path, this.#owner.uid, this.#owner.gid))
    }
  }

  /** Gives a new link to whom the server's folder belongs. */
  async ownLink(folder: HeldFolder, name: RawName): Promise<void> {
    // By a descriptor: a link that was put in its place must not give away what it leads to.
    await using link = await open(folder.at(name), O_PATH | constants.O_NOFOLLOW)
    const found = await link.stat()
    if (!found.isSymbolicLink() || !this.#isForeign(found.uid, found.gid)) return
    await unlessForbidden(chown(`/proc/self/fd/${link.fd}`, this.#owner.uid, this.#owner.gid))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.root[Symbol.asyncDispose]()
  }

  /** Walks from the server's folder until the end, or until a link says where to go on instead. */
  async #descend(way: SafePath, create: boolean): Promise<HeldFolder | SafePath> {
    if (way.length === 0) return this.root.share()
    let folder = this.root
    let isThere = false
    try {
      for (const [at, name] of way.entries()) {
        const next = await this.#step(folder, name, create)
        if (!next) return await this.#behindLink(folder, way, at, create ? 'ErrFileExists' : 'ErrFileNotFound')
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
  async #step(folder: HeldFolder, name: string, create: boolean): Promise<HeldFolder | undefined> {
    try {
      return await folder.enter(name)
    } catch (error) {
      if (['ENOTDIR', 'ELOOP'].includes(codeOf(error))) return undefined
      if (codeOf(error) !== 'ENOENT' || !create) throw error
    }
    const isNew = await made(folder.at(name))
    const next = await folder.enter(name)
    if (isNew) await this.ownFolder(next)
    return next
  }

  /** The way on behind a link, which stands at `way[at]` in the held folder. No name before it is one of a link. */
  async #behindLink(folder: HeldFolder, way: SafePath, at: number, noLink: RefusalCode): Promise<SafePath> {
    let target: string
    try {
      target = await readlink(folder.at(way[at] ?? ''))
    } catch (error) {
      // It is something that is neither folder nor link, in the place of a folder.
      if (codeOf(error) === 'EINVAL') throw new Refusal(noLink, { path: formatPath(way) }, { cause: error })
      throw error
    }
    const end = await this.resolve(target, way.slice(0, at))
    const instead = end && resolveNames([...end, ...way.slice(at + 1)])
    if (!instead) throw leadsOut(way)
    return instead
  }

  /** What is left of an absolute path behind the server's folder, under the name we have for it or its real one. */
  async #belowRoot(target: string): Promise<string | undefined> {
    const names = [this.directory, await readlink(this.root.path)]
    const own = names.find((name) => target === name || target.startsWith(`${name}/`))
    return own === undefined ? undefined : target.slice(own.length)
  }

  async #give(fd: number): Promise<void> {
    await unlessForbidden(change(fd, this.#owner.uid, this.#owner.gid))
  }

  #giveAtOnce(fd: number): void {
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
export async function presence(folder: HeldFolder, name: RawName): Promise<BigIntStats | undefined> {
  try {
    return await lstat(folder.at(name), { bigint: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Makes a folder; says whether it was not there before. */
export async function made(path: RawName, mode = 0o755): Promise<boolean> {
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
