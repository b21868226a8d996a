import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, rename, rmdir, statfs, unlink } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/refusals'
import { emptyFolder } from './empty-folder.ts'
import { codeOf } from './error-code.ts'
import { type FileInfo, fileInfoOf, isAddressable } from './file-info.ts'
import { isRefusal, leadsOut, naming, none } from './naming.ts'
import {
  childOf,
  fitsPattern,
  formatPath,
  hasWildcard,
  nameOf,
  rootPath,
  type SafePath,
  type SafePattern,
} from './safe-path.ts'
import { presence, Ways } from './ways.ts'

/** `append` and `update` make a missing file; `update` reads and writes anywhere. Nothing is cut off. */
export type Opening = 'read' | 'append' | 'update'

const openings: Readonly<Record<Opening, number>> = {
  read: constants.O_RDONLY,
  append: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT,
  update: constants.O_RDWR | constants.O_CREAT,
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
  readonly #ways: Ways

  private constructor(ways: Ways) {
    this.#ways = ways
  }

  /** Holds the folder of a server; `create` makes a missing one. The directory is ours, not something a user typed. */
  static async open(directory: string, { create = false } = {}): Promise<RootFs> {
    if (create) await mkdir(directory, { recursive: true, mode: 0o755 })
    return new RootFs(await Ways.open(directory))
  }

  /** Where the folder is on this machine. */
  get directory(): string {
    return this.#ways.directory
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
      await using folder = await this.#ways.enter(path)
      const shown: FileInfo[] = []
      for (const { name } of await folder.entries()) {
        try {
          shown.push(fileInfoOf(name, await lstat(folder.at(name), { bigint: true })))
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
      const { folder, name } = await this.#ways.reach(path, { followLast: true })
      await using _ = folder
      const before = await presence(folder, name)
      if (before && !before.isFile()) throw new Refusal('ErrNotAFile', { path: formatPath(path) })

      const temporary = folder.at(`.innkeeper-${randomUUID()}.tmp`)
      try {
        {
          const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
          await using file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
          await write(file)
          await this.#ways.own(file)
          await file.chmod(before ? Number(before.mode) & 0o777 : 0o644)
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
      const { folder, name } = await this.#ways.reach(path, { followLast: true })
      await using _ = folder
      const file = await this.#ways.openFile(folder, name, openings[opening], path)
      try {
        if (opening !== 'read' && (await file.stat()).size === 0) await this.#ways.own(file)
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
      await using _ = await this.#ways.enter(path, { create: true })
    })
  }

  /** Moves to another name, and replaces a file there. Links are moved as links. */
  async rename(from: SafePath, to: SafePath): Promise<void> {
    await naming(from, async () => {
      const source = await this.#ways.reach(from, { followLast: false })
      await using _ = source.folder
      const target = await this.#ways.reach(to, { followLast: false })
      await using __ = target.folder
      await rename(source.folder.at(source.name), target.folder.at(target.name))
      await target.folder.sync()
      await source.folder.sync()
    })
  }

  /** Removes one file, link or folder with all that is in it; of the server's own folder, what is in it. */
  async removeTree(path: SafePath, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await naming(path, async () => {
      if (path.length === 0) return await emptyFolder(this.#ways.root, signal)
      const { folder, name } = await this.#ways.reach(path, { followLast: false })
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
      await using folder = await this.#ways.enter(path)
      const [root, inside] = await Promise.all([readlink(this.#ways.root.path), readlink(folder.path)])
      if (inside !== root && !inside.startsWith(`${root}/`)) throw leadsOut(path)
      return inside
    })
  }

  /** How many bytes the disk has left for the server. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#ways.root.path)
    return bavail * bsize
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ways.root[Symbol.asyncDispose]()
  }

  async #found(path: SafePath, followLast: boolean): Promise<FileInfo | undefined> {
    try {
      return await naming(path, async () => {
        if (path.length === 0) return fileInfoOf('', await this.#ways.root.stat())
        const { folder, name } = await this.#ways.reach(path, { followLast })
        await using _ = folder
        return fileInfoOf(nameOf(path), await lstat(folder.at(name), { bigint: true }))
      })
    } catch (error) {
      if (isRefusal(error, 'ErrFileNotFound')) return undefined
      // A link inside may lead to the server's folder itself, which is in no other.
      if (isRefusal(error, 'ErrNotAFile')) {
        return fileInfoOf(nameOf(path), await this.#ways.root.stat())
      }
      throw error
    }
  }

  async #namesIn(folder: SafePath): Promise<string[]> {
    const names = await none(
      naming(folder, async () => {
        await using held = await this.#ways.enter(folder)
        return (await held.entries()).map(({ name }) => name)
      }),
    )
    return (names ?? []).filter((name) => isAddressable(name)).map(String)
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
