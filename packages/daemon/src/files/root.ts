import type { BigIntStats, Stats } from 'node:fs'
import { type FileHandle, mkdir, readlink, rm, rmdir, statfs, symlink, unlink } from 'node:fs/promises'
import type { OnExisting } from '@innkeeper/contract/files'
import { Refusal } from '@innkeeper/contract/refusals'
import { codeOf } from './error-code.ts'
import type { RawName } from './path/dir-handle.ts'
import { freeNameIn } from './path/free-name.ts'
import {
  childOf,
  fitsPattern,
  formatPath,
  hasWildcard,
  listedPathBelow,
  nameOf,
  rootPath,
  type SafePath,
  type SafePattern,
} from './path/safe-path.ts'
import { lstatOrUndefined, type Owner, TreeRoot } from './path/tree-root.ts'
import { isRefusal, outsideRoot, undefinedIfMissing, withRefusals } from './path/with-refusals.ts'
import {
  type FileInfo,
  type FileSummary,
  fileInfoOf,
  fileSummaryOf,
  isReachable,
  type VersionedInfo,
  versionedInfoOf,
} from './read/file-info.ts'
import type { FileStat } from './read/file-stat.ts'
import { Listing } from './read/listing.ts'
import type { OpenedFile } from './read/opened-file.ts'
import { type Flags, type Opening, openFile, openForPieces, openToRead } from './read/opening.ts'
import { setStat, setStatSync } from './read/set-stat.ts'
import type { MaybePromise } from './read/sync-fast-path.ts'
import { lstatSyncFast } from './read/sync-fast-path.ts'
import { type CopyOptions, copyTree } from './tree/copy.ts'
import { importFile } from './tree/import-file.ts'
import { move } from './tree/move.ts'
import { removeLeftovers } from './tree/remove-leftovers.ts'
import { type RemoveOptions, removeContents, removeIn } from './tree/remove-tree.ts'
import { walkBelow } from './tree/walk.ts'
import { Draft, type DraftOptions } from './write/draft.ts'
import { Staging } from './write/staging.ts'
import { isTemporary } from './write/temporary.ts'

/** Something on the way through a tree. Both what it shows and what it opens is of the very thing that was met. */
export interface WalkEntry {
  /** Leads to it only when `info.isReachable`, and every folder above is. */
  readonly path: SafePath
  readonly info: FileInfo
  /** Opens a regular file for reading. It is called before the walk goes on, which need not wait; whoever opens it closes it. */
  open(): MaybePromise<OpenedFile>
}

/** What the disk has, in blocks and in files. */
export interface Space {
  readonly blockSize: number
  readonly blocks: number
  readonly free: number
  readonly files: number
  readonly filesFree: number
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
  readonly #tree: TreeRoot

  private constructor(tree: TreeRoot) {
    this.#tree = tree
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
    return new RootFs(await TreeRoot.open(directory, owner))
  }

  /** Removes the folder of a server with all that is in it; one that is gone already is no error. */
  static async remove(directory: string): Promise<void> {
    try {
      await using files = await RootFs.open(directory)
      await files.removeAll()
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      // A link to a folder that somebody removed.
      await rm(directory, { force: true })
    }
  }

  /** Removes the folder of a server when there is nothing in it. */
  static async removeIfEmpty(directory: string): Promise<void> {
    try {
      await rmdir(directory)
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error))) throw error
    }
  }

  /** Where the folder is on this machine. */
  get directory(): string {
    return this.#tree.directory
  }

  /** What is there; a link that stays inside stands for what it leads to. `undefined` when nothing is. */
  async stat(path: SafePath): Promise<VersionedInfo | undefined> {
    return await this.#statOf(path, true)
  }

  /** Like `stat`, but a link stands for itself. */
  async lstat(path: SafePath): Promise<VersionedInfo | undefined> {
    return await this.#statOf(path, false)
  }

  /** Like `stat` or `lstat`; told at once where the disk is quick. */
  statMaybeSync(path: SafePath, { followLast }: { followLast: boolean }): MaybePromise<FileInfo | undefined> {
    const { syncIo, root } = this.#tree
    const found = syncIo.mayBlock ? syncIo.runSync(() => lstatSyncFast(root, path, followLast)) : undefined
    if (!found) return this.#statOf(path, followLast)
    return found.answer && fileInfoOf(nameOf(path), found.answer)
  }

  /** Whether something has this name, be it a link that leads nowhere. */
  async exists(path: SafePath): Promise<boolean> {
    return (await this.lstat(path)) !== undefined
  }

  /** What is in a folder, in no order. */
  async readdir(path: SafePath): Promise<FileInfo[]> {
    const shown: FileInfo[] = []
    for await (const nextBatch of this.list(path)) shown.push(...nextBatch)
    return shown
  }

  /** Like `readdir`, some at a time: folders of worlds hold a great many files. */
  list(path: SafePath): AsyncGenerator<FileInfo[]> {
    return this.#list(path, fileInfoOf)
  }

  /** Like `list`, of each only what is quickly told. */
  listSummaries(path: SafePath): AsyncGenerator<FileSummary[]> {
    return this.#list(path, fileSummaryOf)
  }

  async *#list<T>(path: SafePath, mapEntry: (name: RawName, stats: BigIntStats | Stats) => T): AsyncGenerator<T[]> {
    await using folder = await withRefusals(path, () => this.#tree.openDir(path))
    const listing = await withRefusals(path, () => Listing.of(folder))
    for (;;) {
      const nextBatch = await withRefusals(path, () => listing.nextBatch(folder, mapEntry))
      if (nextBatch.length === 0) return
      yield nextBatch
    }
  }

  /**
   * All that is below a folder, each folder before what is in it. A link at the end of `path` is followed, no other one.
   * Folders that may not be read end the walk, or are told to `passBy` and left out.
   */
  async *walk(
    path: SafePath,
    { signal, onUnreadable }: { signal?: AbortSignal; onUnreadable?: (path: SafePath) => void } = {},
  ): AsyncGenerator<WalkEntry> {
    const top = await withRefusals(path, () => this.#tree.openDir(path))
    const pathOf = (names: readonly RawName[]) => listedPathBelow(path, names)
    const steps = walkBelow(top, { signal, onUnreadable: onUnreadable && ((names) => onUnreadable(pathOf(names))) })
    for await (const { name, stats, above, folder } of steps) {
      const here = pathOf([...above, name])
      yield {
        path: here,
        info: fileInfoOf(name, stats),
        open: () => openToRead(this.#tree, { folder, name, path: here }),
      }
    }
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
    await using draft = await this.draft(path)
    await draft.write(typeof content === 'string' ? Buffer.from(content) : content)
    await draft.commit()
  }

  /**
   * Begins a file that appears when it is whole. Throws `ErrFileExists` and `ErrStaleVersion` at once when that is known
   * by now, and again from `commit`.
   */
  async draft(path: SafePath, options: DraftOptions = {}): Promise<Draft> {
    const target = await withRefusals(path, () => this.#tree.resolveParent(path, { followLast: true }))
    return await Draft.begin(this.#tree, { ...target, path }, options)
  }

  /** Begins a tree that comes into a folder when it is whole. */
  async stage(folder: SafePath): Promise<Staging> {
    return await Staging.begin(this.#tree, folder)
  }

  /** Takes in a finished file of ours, from any disk. Nothing is at its old place afterwards, unless this fails. */
  async importFile(file: string, to: SafePath, { existing }: { existing: OnExisting }): Promise<VersionedInfo> {
    return await importFile(this.#tree, file, to, existing)
  }

  /** Opens a regular file; whoever opens it closes it. */
  async open(path: SafePath, opening: Opening): Promise<FileHandle> {
    return await openFile(this.#tree, path, opening)
  }

  /** Like `open`, for somebody who takes it in pieces; one that is there is opened at once where the disk is quick. */
  openForPieces(path: SafePath, opening: Flags): MaybePromise<OpenedFile> {
    return openForPieces(this.#tree, path, opening)
  }

  /** Makes the names in a folder survive a power loss, after drafts that left that to their maker. */
  async syncDirectory(path: SafePath): Promise<void> {
    await withRefusals(path, async () => {
      await using folder = await this.#tree.openDir(path)
      await folder.sync()
    })
  }

  /** Makes a folder and those above it; one that is there is fine. */
  async mkdirs(path: SafePath): Promise<void> {
    await withRefusals(path, async () => {
      await using _ = await this.#tree.openDir(path, { create: true })
    })
  }

  /**
   * Moves to another name. A file there is replaced, or refused with `ErrFileExists`, in one step; so is an empty folder
   * by a folder. Links are moved as links.
   */
  async rename(
    from: SafePath,
    to: SafePath,
    { existing = 'replace' }: { existing?: 'refuse' | 'replace' } = {},
  ): Promise<void> {
    await move(this.#tree, from, to, existing)
  }

  /**
   * Copies a file, a link as a link, or a folder with all that is in it; folders that are there are merged. What cannot
   * be copied, such as pipes and links that would lead out, is left out and told to `progress`. Says where it went.
   */
  async copyTree(from: SafePath, to: SafePath, options: CopyOptions): Promise<SafePath> {
    return await copyTree(this.#tree, from, to, options)
  }

  /** A name that is free in a folder at the moment: `a.zip`, `a (2).zip`, `a (3).zip` ... */
  async freeName(folder: SafePath, name: string): Promise<string> {
    return await withRefusals(folder, async () => {
      await using held = await this.#tree.openDir(folder)
      return String(await freeNameIn(held, name))
    })
  }

  /** What a link says; it may lead anywhere. */
  async readlink(path: SafePath): Promise<string> {
    return await withRefusals(path, async () => {
      const { folder, name } = await this.#tree.resolveParent(path, { followLast: false })
      await using _ = folder
      return await readlink(folder.pathTo(name)).catch((error: unknown) => {
        if (codeOf(error) === 'EINVAL') throw new Refusal('ErrNotAFile', { path: formatPath(path) }, { cause: error })
        throw error
      })
    })
  }

  /** Makes a link to something inside, whether that is there or not. */
  async symlink(target: string, path: SafePath): Promise<void> {
    await withRefusals(path, async () => {
      const { folder, name, path: resolved } = await this.#tree.resolveParent(path, { followLast: false })
      await using _ = folder
      if (target.includes('\0') || !(await this.#tree.resolve(target, resolved.slice(0, -1)))) throw outsideRoot(path)
      await symlink(target, folder.pathTo(name))
      await this.#tree.chownLink(folder, name)
      await folder.sync()
    })
  }

  /** Sets what is given, of a file or folder. Of the mode only the permission bits are taken. */
  async setStat(of: SafePath | FileHandle, wanted: FileStat): Promise<void> {
    await setStat(this.#tree, of, wanted)
  }

  /** Like `setStat`; done at once where the disk is quick. */
  setStatMaybeSync(path: SafePath, wanted: FileStat): MaybePromise<void> {
    const { syncIo } = this.#tree
    if (syncIo.mayBlock && syncIo.runSync(() => setStatSync(this.#tree, path, wanted))) return
    return this.setStat(path, wanted)
  }

  /** Removes one file, link or folder with all that is in it; of the server's own folder, what is in it. */
  async removeTree(path: SafePath, options: RemoveOptions = {}): Promise<void> {
    await withRefusals(path, async () => {
      if (path.length === 0) return await removeContents(this.#tree.root, options)
      const { folder, name } = await this.#tree.resolveParent(path, { followLast: false })
      await using _ = folder
      await removeIn(folder, name, options)
    })
  }

  /** Removes what an earlier daemon had not finished when it ended; says how many things. */
  async removeLeftovers({ signal }: { signal?: AbortSignal } = {}): Promise<number> {
    return await removeLeftovers(await this.#tree.openDir(rootPath), signal)
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
    for (const path of found) if (await undefinedIfMissing(this.lstat(path))) there.push(path)
    return there
  }

  /** The real path of a folder, to start a process in. */
  async workingDirectory(path: SafePath): Promise<string> {
    return await withRefusals(path, async () => {
      await using folder = await this.#tree.openDir(path)
      const root = await readlink(this.#tree.root.path)
      const inside = await readlink(folder.path)
      if (inside !== root && !inside.startsWith(`${root}/`)) throw outsideRoot(path)
      return inside
    })
  }

  /** How many bytes the disk has left for the server. */
  async freeBytes(): Promise<number> {
    const { free, blockSize } = await this.space()
    return free * blockSize
  }

  /** What the disk of the server has, and what is left of it for us. */
  async space(): Promise<Space> {
    const { bsize, blocks, bavail, files, ffree } = await statfs(this.#tree.root.path)
    return { blockSize: bsize, blocks, free: bavail, files, filesFree: ffree }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tree.root[Symbol.asyncDispose]()
  }

  async #statOf(path: SafePath, followLast: boolean): Promise<VersionedInfo | undefined> {
    try {
      return await withRefusals(path, async () => {
        if (path.length === 0) return versionedInfoOf('', await this.#tree.root.stat())
        const entry = await this.#tree.resolveParent(path, { followLast })
        await using folder = entry.folder
        const stats = followLast ? entry.stats : await lstatOrUndefined(folder, entry.name)
        return stats && versionedInfoOf(nameOf(path), stats)
      })
    } catch (error) {
      if (isRefusal(error, 'ErrFileNotFound')) return undefined
      // A link inside may lead to the server's folder itself, which is in no other.
      if (isRefusal(error, 'ErrNotAFile')) {
        return versionedInfoOf(nameOf(path), await this.#tree.root.stat())
      }
      throw error
    }
  }

  async #namesIn(folder: SafePath): Promise<string[]> {
    const names = await undefinedIfMissing(
      withRefusals(folder, async () => {
        await using held = await this.#tree.openDir(folder)
        return await held.names()
      }),
    )
    return (names ?? [])
      .filter((name) => isReachable(name))
      .map(String)
      .filter((name) => !isTemporary(name))
  }
}
