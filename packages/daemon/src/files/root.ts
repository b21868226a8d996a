import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { chown, type FileHandle, lstat, mkdir, open, readlink, rename, rmdir, statfs, unlink } from 'node:fs/promises'
import { limits } from '@innkeeper/contract/limits'
import { Refusal, type RefusalCode } from '@innkeeper/contract/refusals'
import { emptyFolder } from './empty-folder.ts'
import { codeOf } from './error-code.ts'
import { giveAway } from './give-away.ts'
import { HeldFolder } from './held-folder.ts'
import {
  childOf,
  fitsPattern,
  formatPath,
  hasWildcard,
  nameOf,
  parentOf,
  resolveNames,
  rootPath,
  type SafePath,
  type SafePattern,
} from './safe-path.ts'

/** What a folder shows of one thing in it. Links are shown as links. */
export interface FileInfo {
  /** Bytes that are no text are shown as `�`; such a name cannot be asked for. */
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly size: number
  readonly modified: Date
  /** Permission bits. */
  readonly mode: number
}

/** `append` and `update` make a missing file; `update` reads and writes anywhere. Nothing is cut off. */
export type Opening = 'read' | 'append' | 'update'

const openings: Readonly<Record<Opening, number>> = {
  read: constants.O_RDONLY,
  append: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT,
  update: constants.O_RDWR | constants.O_CREAT,
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

interface Place {
  readonly folder: HeldFolder
  readonly name: string
}

/**
 * The files of one server, and the only way to them: every path is walked name by name from the descriptor of the
 * server's folder. Links inside the folder are followed as far as they stay inside; what leads out is refused with
 * `ErrIllegalFileAccess`, whatever changes meanwhile. Only regular files and folders are opened.
 *
 * Calls throw `ErrFileNotFound`, `ErrFileExists`, `ErrNotAFile` and `ErrIllegalFileAccess`; trouble of the disk stays
 * what it is (`diskTroubleOf`).
 */
export class RootFs implements AsyncDisposable {
  /** Where the folder is on this machine. */
  readonly directory: string
  readonly #root: HeldFolder
  /** New files belong to whoever owns the server's folder. */
  readonly #owner: Owner

  private constructor(directory: string, root: HeldFolder, owner: Owner) {
    this.directory = directory
    this.#root = root
    this.#owner = owner
  }

  /**
   * Holds the folder of a server; `create` makes a missing one. The directory is ours, not something a user typed. With
   * `owner` all of it is given to them, unless it is theirs.
   */
  static async open(
    directory: string,
    { create = false, owner }: { create?: boolean; owner?: Owner | undefined } = {},
  ): Promise<RootFs> {
    if (create) await mkdir(directory, { recursive: true, mode: owner ? 0o700 : 0o755 })
    const root = await HeldFolder.open(directory)
    try {
      const { uid, gid } = await root.stat()
      if (!owner) return new RootFs(directory, root, { uid, gid })
      if (uid !== owner.uid) await giveAway(root, owner)
      return new RootFs(directory, root, owner)
    } catch (error) {
      await root[Symbol.asyncDispose]()
      throw error
    }
  }

  /** What is there; a link that stays inside stands for what it leads to. `undefined` when nothing is. */
  async stat(path: SafePath): Promise<FileInfo | undefined> {
    return await this.#found(path, true)
  }

  /** Like `stat`, but a link stands for itself. */
  async lstat(path: SafePath): Promise<FileInfo | undefined> {
    return await this.#found(path, false)
  }

  /** Whether something has this name, be it a link that leads nowhere. */
  async exists(path: SafePath): Promise<boolean> {
    return (await this.lstat(path)) !== undefined
  }

  /** What is in a folder, in no order. */
  async readdir(path: SafePath): Promise<FileInfo[]> {
    return await naming(path, async () => {
      await using folder = await this.#enter(path)
      const shown: FileInfo[] = []
      for (const { name } of await folder.entries()) {
        try {
          shown.push(infoOf(name.toString('utf8'), await lstat(folder.at(name))))
        } catch (error) {
          if (codeOf(error) !== 'ENOENT') throw error
        }
      }
      return shown
    })
  }

  /** The whole content; a file larger than `limit` bytes is refused with `ErrFieldTooLarge`. */
  async readFile(path: SafePath, limit: number): Promise<Buffer> {
    await using file = await this.open(path, 'read')
    const parts: Buffer[] = []
    let size = 0
    // A file may grow while it is read, or not know its size: count what really comes.
    for await (const part of file.createReadStream({ start: 0, end: limit, autoClose: false })) {
      parts.push(part)
      size += part.length
    }
    if (size > limit) throw new Refusal('ErrFieldTooLarge', { field: formatPath(path), max: limit })
    return Buffer.concat(parts)
  }

  /** Replaces the content wholly or not at all; a new file has mode 0644, an existing one keeps its own. */
  async writeFile(path: SafePath, content: string | Uint8Array): Promise<void> {
    await this.replaceFile(path, async (file) => await file.writeFile(content))
  }

  /** Like `writeFile`, for content that is written piece by piece. Nothing is left of it when `write` throws. */
  async replaceFile(path: SafePath, write: (file: FileHandle) => Promise<void>): Promise<void> {
    await naming(path, async () => {
      const { folder, name } = await this.#reach(path, true)
      await using _ = folder
      const before = await presence(folder.at(name))
      if (before && !before.isFile()) throw new Refusal('ErrNotAFile', { path: formatPath(path) })

      const temporary = folder.at(`.innkeeper-${randomUUID()}.tmp`)
      try {
        {
          const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
          await using file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
          await write(file)
          await this.#own(file)
          await file.chmod(before ? before.mode & 0o777 : 0o644)
          await file.sync()
        }
        await rename(temporary, folder.at(name))
      } catch (error) {
        await removeIfThere(temporary)
        throw error
      }
      await folder.sync()
    })
  }

  /** Opens a regular file; whoever opens it closes it. */
  async open(path: SafePath, opening: Opening): Promise<FileHandle> {
    return await naming(path, async () => {
      const { folder, name } = await this.#reach(path, true)
      await using _ = folder
      const file = await open(folder.at(name), openings[opening] | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644)
      try {
        const found = await file.stat()
        if (!found.isFile()) throw new Refusal('ErrNotAFile', { path: formatPath(path) })
        // A hard link to a file of somebody else is a way out too.
        if (found.nlink > 1 && found.uid !== this.#owner.uid) throw leadsOut(path)
        if (opening !== 'read' && found.size === 0) await this.#own(file)
        return file
      } catch (error) {
        await file.close()
        throw error
      }
    })
  }

  /** Makes a folder and those above it; one that is there is fine. */
  async mkdirs(path: SafePath): Promise<void> {
    await naming(path, async () => {
      await using _ = await this.#enter(path, { create: true })
    })
  }

  /** Moves to another name, and replaces a file there. Links are moved as links. */
  async rename(from: SafePath, to: SafePath): Promise<void> {
    await naming(from, async () => {
      const source = await this.#reach(from, false)
      await using _ = source.folder
      const target = await this.#reach(to, false)
      await using __ = target.folder
      await rename(source.folder.at(source.name), target.folder.at(target.name))
      await target.folder.sync()
      await source.folder.sync()
    })
  }

  /** Removes one file, link or folder with all that is in it; of the server's own folder, what is in it. */
  async removeTree(path: SafePath, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await naming(path, async () => {
      if (path.length === 0) return await emptyFolder(this.#root, signal)
      const { folder, name } = await this.#reach(path, false)
      await using _ = folder
      const there = await lstat(folder.at(name))
      if (!there.isDirectory()) return await unlink(folder.at(name))
      {
        await using inner = await folder.enter(name)
        await emptyFolder(inner, signal)
      }
      await rmdir(folder.at(name))
    })
  }

  /** Removes all files and the server's folder itself; afterwards nothing can be done here but to close it. */
  async removeAll({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await this.removeTree(rootPath, { signal })
    try {
      await rmdir(this.directory)
    } catch (error) {
      // An operator may have put the folder elsewhere and left a link in its place.
      if (codeOf(error) !== 'ENOTDIR') throw error
      await unlink(this.directory)
    }
  }

  /** What fits a pattern, by name. Folders that cannot be looked into hold nothing that fits. */
  async glob(pattern: SafePattern): Promise<SafePath[]> {
    let found: SafePath[] = [rootPath]
    for (const part of pattern) {
      const deeper: SafePath[] = []
      for (const folder of found) {
        const names = hasWildcard(part)
          ? (await this.#namesIn(folder)).filter((name) => fitsPattern(name, part))
          : [part]
        deeper.push(...names.toSorted().map((name) => childOf(folder, name)))
      }
      found = deeper
    }
    const there: SafePath[] = []
    for (const path of found) if (await none(this.lstat(path))) there.push(path)
    return there
  }

  /** The real path of a folder, to start a process in. */
  async workingDirectory(path: SafePath): Promise<string> {
    return await naming(path, async () => {
      await using folder = await this.#enter(path)
      const [root, inside] = await Promise.all([readlink(this.#root.path), readlink(folder.path)])
      if (inside !== root && !inside.startsWith(`${root}/`)) throw leadsOut(path)
      return inside
    })
  }

  /** How many bytes the disk has left for the server. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#root.path)
    return bavail * bsize
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#root[Symbol.asyncDispose]()
  }

  /** Holds the folder at the end of a path. */
  async #enter(path: SafePath, { create = false } = {}): Promise<HeldFolder> {
    let way = path
    for (let links = 0; links <= limits.linksFollowed; links++) {
      const end = await this.#descend(way, create)
      if (end instanceof HeldFolder) return end
      way = end
    }
    throw leadsOut(path)
  }

  /** Walks from the server's folder until the end, or until a link says where to go on instead. */
  async #descend(way: SafePath, create: boolean): Promise<HeldFolder | SafePath> {
    let folder = await HeldFolder.open(this.#root.path)
    try {
      for (const [at, name] of way.entries()) {
        const next = await this.#step(folder, name, create)
        if (!next) {
          const instead = await this.#behindLink(folder, way, at, create ? 'ErrFileExists' : 'ErrFileNotFound')
          await folder[Symbol.asyncDispose]()
          return instead
        }
        await folder[Symbol.asyncDispose]()
        folder = next
      }
      return folder
    } catch (error) {
      await folder[Symbol.asyncDispose]()
      throw error
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
    if (isNew) await this.#ownFolder(next)
    return next
  }

  /** The folder that the last name of a path is in, held, and that name; after links that stay inside. */
  async #reach(path: SafePath, followLast: boolean): Promise<Place> {
    let way = path
    for (let links = 0; links <= limits.linksFollowed; links++) {
      const parent = parentOf(way)
      if (!parent) throw new Refusal('ErrNotAFile', { path: formatPath(path) })
      const name = nameOf(way)
      const folder = await this.#descend(parent, false)
      if (!(folder instanceof HeldFolder)) {
        way = childOf(folder, name)
        continue
      }
      if (!followLast) return { folder, name }
      try {
        if (!(await presence(folder.at(name)))?.isSymbolicLink()) return { folder, name }
        way = await this.#behindLink(folder, way, way.length - 1, 'ErrFileNotFound')
        await folder[Symbol.asyncDispose]()
      } catch (error) {
        await folder[Symbol.asyncDispose]()
        throw error
      }
    }
    throw leadsOut(path)
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
    const start = target.startsWith('/') ? [] : way.slice(0, at)
    const inside = target.startsWith('/') ? await this.#belowRoot(target) : target
    const instead =
      inside === undefined ? undefined : resolveNames([...start, ...inside.split('/'), ...way.slice(at + 1)])
    if (!instead) throw leadsOut(way)
    return instead
  }

  /** What is left of an absolute path behind the server's folder, under the name we have for it or its real one. */
  async #belowRoot(target: string): Promise<string | undefined> {
    const names = [this.directory, await readlink(this.#root.path)]
    const own = names.find((name) => target === name || target.startsWith(`${name}/`))
    return own === undefined ? undefined : target.slice(own.length)
  }

  async #found(path: SafePath, followLast: boolean): Promise<FileInfo | undefined> {
    try {
      return await naming(path, async () => {
        if (path.length === 0) return infoOf('', await this.#root.stat())
        const { folder, name } = await this.#reach(path, followLast)
        await using _ = folder
        return infoOf(nameOf(path), await lstat(folder.at(name)))
      })
    } catch (error) {
      if (error instanceof Refusal && error.code === 'ErrFileNotFound') return undefined
      // A link inside may lead to the server's folder itself, which is in no other.
      if (error instanceof Refusal && error.code === 'ErrNotAFile') {
        return infoOf(nameOf(path), await this.#root.stat())
      }
      throw error
    }
  }

  async #namesIn(folder: SafePath): Promise<string[]> {
    const names = await none(
      naming(folder, async () => {
        await using held = await this.#enter(folder)
        return (await held.entries()).map(({ name }) => ({ name, text: name.toString('utf8') }))
      }),
    )
    return (names ?? []).filter(({ name, text }) => isAddressable(name, text)).map(({ text }) => text)
  }

  async #own(file: FileHandle): Promise<void> {
    const { uid, gid } = await file.stat()
    if (uid !== this.#owner.uid || gid !== this.#owner.gid) {
      await unlessForbidden(file.chown(this.#owner.uid, this.#owner.gid))
    }
  }

  async #ownFolder(folder: HeldFolder): Promise<void> {
    const { uid, gid } = await folder.stat()
    if (uid !== this.#owner.uid || gid !== this.#owner.gid) {
      await unlessForbidden(chown(folder.path, this.#owner.uid, this.#owner.gid))
    }
  }
}

function leadsOut(path: SafePath): Refusal {
  return new Refusal('ErrIllegalFileAccess', { path: formatPath(path) })
}

const codes = {
  ENOENT: 'ErrFileNotFound',
  ENOTDIR: 'ErrFileNotFound',
  ELOOP: 'ErrIllegalFileAccess',
  EEXIST: 'ErrFileExists',
  ENOTEMPTY: 'ErrFileExists',
  EISDIR: 'ErrNotAFile',
  ENXIO: 'ErrNotAFile',
  ENODEV: 'ErrNotAFile',
} as const satisfies Record<string, RefusalCode>

/** Gives the answers of the system that are expected their code. */
async function naming<T>(path: SafePath, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const code = codeOf(error)
    if (!(error instanceof Refusal) && Object.hasOwn(codes, code)) {
      throw new Refusal(codes[code as keyof typeof codes], { path: formatPath(path) }, { cause: error })
    }
    throw error
  }
}

/** `undefined` for what is not there or must not be looked at. */
async function none<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking
  } catch (error) {
    if (error instanceof Refusal && ['ErrFileNotFound', 'ErrIllegalFileAccess'].includes(error.code)) return undefined
    throw error
  }
}

async function presence(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Makes a folder; says whether it was not there before. */
async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path, 0o755)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
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

/** Whether the text of a name leads back to the file, and may stand in a path. */
function isAddressable(name: Buffer, text: string): boolean {
  return !/[\x00-\x1f\x7f]/.test(text) && Buffer.from(text).equals(name)
}

function infoOf(name: string, stats: Stats): FileInfo {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other'
  const size = kind === 'file' ? stats.size : 0
  return { name, kind, size, modified: stats.mtime, mode: stats.mode & 0o777 }
}
