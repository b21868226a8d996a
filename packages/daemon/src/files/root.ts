import { type BigIntStats, constants, type Stats } from 'node:fs'
import { type FileHandle, mkdir, readlink, rm, rmdir, statfs, symlink, unlink } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ConflictPolicy, ExtractConflictPolicy } from '@innkeeper/contract/servers/files'
import type { DiskSpace } from '@innkeeper/contract/servers/status'
import { closeOnError, withRollback } from '../errors/cleanup.ts'
import { getCode, ignoreErrors } from '../errors/error-code.ts'
import { ignoreRefusals, isRefusal } from '../errors/refusals.ts'
import type { Owner } from '../fs/owner.ts'
import type { DeniedFiles } from './path/denied-files.ts'
import type { RawName } from './path/dir-handle.ts'
import { freeNameIn, isTemporary } from './path/names.ts'
import {
  formatPath,
  getChild,
  getName,
  hasWildcard,
  listedPathBelow,
  matchesPattern,
  outsideRoot,
  rootPath,
  type SafePath,
  type SafePattern,
  withRefusals,
} from './path/safe-path.ts'
import { lstatOrUndefined, type TreeOptions, TreeRoot } from './path/tree-root.ts'
import {
  type FileInfo,
  type FileSummary,
  getFileInfo,
  getFileSummary,
  getVersionedInfo,
  isReachable,
  type VersionedInfo,
} from './read/file-info.ts'
import type { FileStat } from './read/file-stat.ts'
import { Listing } from './read/listing.ts'
import { type Flags, type Opening, openFile, openToRead } from './read/opening.ts'
import { setStat } from './read/set-stat.ts'
import { reserveWithin, type SpaceReservation, type WritePlace, writeWithin } from './space/write-budget.ts'
import { type CopyOptions, copyTree } from './tree/copy.ts'
import { refuseDeniedBelow } from './tree/denied-below.ts'
import { type FormerContent, type Overwriting, openToOverwrite, setAside } from './tree/former-content.ts'
import { importFile } from './tree/import-file.ts'
import { type MergeOptions, mergeInto } from './tree/merge.ts'
import { move } from './tree/move.ts'
import { placeLink } from './tree/place-link.ts'
import { removeLeftovers } from './tree/remove-leftovers.ts'
import { type RemoveOptions, removeContents, removeIn } from './tree/remove-tree.ts'
import { finishReplacements, type ReplacementOutcome } from './tree/replace-contents.ts'
import { Staging } from './tree/staging.ts'
import { walkBelow } from './tree/walk.ts'
import { Draft, type DraftOptions } from './write/draft.ts'

/** An entry of a tree walk. `info` and `open` refer to the same file, even if its name changes meanwhile. */
export interface WalkEntry {
  /** Leads to the entry only when `info.isReachable` is true for it and every directory above. */
  readonly path: SafePath
  readonly info: FileInfo
  /**
   * Opens a regular file for reading. Must be called before the walk continues, which need not wait. The caller must
   * close it.
   */
  open(): Promise<FileHandle>
}

/** What is in a directory. */
export interface TreeSize {
  readonly bytes: number
  readonly files: number
  readonly folders: number
}

interface OpenOptions extends TreeOptions {
  readonly create?: boolean
  /** Is disposed with the files. */
  readonly use?: Disposable | undefined
}

/** Size of the file system, in blocks and in files. */
export interface Space {
  readonly blockSize: number
  readonly blocks: number
  readonly free: number
  /** Without blocks that are reserved for root. */
  readonly available: number
  readonly files: number
  readonly filesFree: number
}

/**
 * The files of one server, and the only access to them, against path traversal: every path is resolved name by name from the descriptor of the
 * server's directory. Links are followed as far as they stay inside; paths that lead out are refused with
 * `ErrIllegalFileAccess`, even if names change concurrently. Only regular files and directories are opened. Throws
 * `ErrFileNotFound`, `ErrFileExists`, `ErrNotAFile` and `ErrIllegalFileAccess`; disk errors are passed on
 * (`findDiskError`).
 */
export class RootFs implements AsyncDisposable {
  readonly #tree: TreeRoot
  readonly #use: Disposable | undefined

  private constructor(tree: TreeRoot, use: Disposable | undefined) {
    this.#tree = tree
    this.#use = use
  }

  /**
   * Opens the directory of a server; `create` creates a missing one. `directory` is trusted. With `owner`, all of it is
   * changed to that owner, unless it is already. `discarded` receives what is deleted or replaced; it is disposed with
   * the files. `budget` limits what is written. `denied` returns the files that are kept
   * from the user: they are listed, and nothing else is possible with them.
   */
  static async open(directory: string, { create = false, use, ...options }: OpenOptions = {}): Promise<RootFs> {
    if (create) await mkdir(directory, { recursive: true, mode: options.owner ? 0o700 : 0o755 })
    return new RootFs(await TreeRoot.open(directory, options), use)
  }

  /** Removes the directory of a server with its contents. Does nothing when it does not exist. */
  static async remove(directory: string): Promise<void> {
    try {
      await using files = await RootFs.open(directory)
      await files.removeAll()
    } catch (error) {
      if (getCode(error) !== 'ENOENT') throw error
      // A dangling link.
      await rm(directory, { force: true })
    }
  }

  /** Removes the directory of a server if it is empty. */
  static async removeIfEmpty(directory: string): Promise<void> {
    await rmdir(directory).catch(ignoreErrors('ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'))
  }

  /** The directory on the host. */
  get directory(): string {
    return this.#tree.directory
  }

  /** What is kept from the user of these files. */
  get denied(): DeniedFiles | undefined {
    return this.#tree.denied
  }

  /** A path to the directory for another process, valid while these files are open. */
  get sharedPath(): string {
    return this.#tree.root.sharedPath
  }

  /**
   * Runs `write`, which writes so many bytes to an opened file, in place of its former content. Throws ErrDiskLimit when
   * they do not fit.
   */
  async write<T>(bytes: number, write: () => Promise<T>, former?: FormerContent): Promise<T> {
    return await writeWithin(this.#tree.budget, bytes, write, former?.bytes)
  }

  /** Reserves space for what will be written. Throws ErrDiskLimit when so many bytes do not fit. */
  async reserve(bytes: number, place?: WritePlace): Promise<SpaceReservation> {
    return await reserveWithin(this.#tree.budget, bytes, place)
  }

  /** Follows links that stay inside. Returns undefined when nothing exists. */
  async stat(path: SafePath): Promise<VersionedInfo | undefined> {
    return await this.#readStat(path, true)
  }

  /** Like `stat`, without following a link at the end. */
  async lstat(path: SafePath): Promise<VersionedInfo | undefined> {
    return await this.#readStat(path, false)
  }

  /** Whether the name exists, even as a dangling link. */
  async exists(path: SafePath): Promise<boolean> {
    return (await this.lstat(path)) !== undefined
  }

  /** The entries of a directory, unordered. */
  async readdir(path: SafePath): Promise<FileInfo[]> {
    const shown: FileInfo[] = []
    for await (const nextBatch of this.list(path)) shown.push(...nextBatch)
    return shown
  }

  /** Like `readdir`, in batches: world directories can have very many files. */
  list(path: SafePath): AsyncGenerator<FileInfo[]> {
    return this.#list(path, getFileInfo)
  }

  /** Like `list`, with less information per entry. */
  listSummaries(path: SafePath): AsyncGenerator<FileSummary[]> {
    return this.#list(path, getFileSummary)
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
   * Everything below a directory, each directory before its contents. A link at the end of `path` is followed, no
   * others. Unreadable directories end the walk, or are passed to `onUnreadable` and skipped. Denied entries are passed to
   * it and skipped.
   */
  async *walk(
    path: SafePath,
    { signal, onUnreadable }: { signal?: AbortSignal; onUnreadable?: (path: SafePath) => void } = {},
  ): AsyncGenerator<WalkEntry> {
    const top = await withRefusals(path, () => this.#tree.openDir(path))
    const { denied } = this.#tree
    const realPath = denied && (await closeOnError(top, () => this.#tree.readPath(top)))
    const isDenied = (names: readonly RawName[]) =>
      realPath !== undefined && denied?.has(listedPathBelow(realPath, names)) === true
    const getPath = (names: readonly RawName[]) => listedPathBelow(path, names)
    const walk = walkBelow(top, { signal, onUnreadable: onUnreadable && ((names) => onUnreadable(getPath(names))) })
    for await (const { name, stats, above, folder } of walk) {
      const here = getPath([...above, name])
      if (isDenied([...above, name])) {
        if (!isDenied(above)) onUnreadable?.(here)
        continue
      }
      yield {
        path: here,
        info: getFileInfo(name, stats),
        open: () => openToRead(this.#tree, { folder, name, path: here }),
      }
    }
  }

  /** Counts everything below a directory, also what is kept from the user. Unreadable directories are skipped. */
  async measure(path: SafePath, signal: AbortSignal): Promise<TreeSize> {
    const top = await withRefusals(path, () => this.#tree.openDir(path))
    const size = { bytes: 0, files: 0, folders: 0 }
    for await (const { stats } of walkBelow(top, { signal, onUnreadable: () => {} })) {
      if (stats.isDirectory()) size.folders++
      else size.files++
      if (stats.isFile() || stats.isSymbolicLink()) size.bytes += Number(stats.size)
    }
    return size
  }

  /** Reads the whole file. Throws `ErrFieldTooLarge` when it is larger than `limit` bytes. */
  async readFile(path: SafePath, limit: number): Promise<Buffer> {
    await using file = await this.open(path, 'read')
    const parts: Buffer[] = []
    let size = 0
    // A file may grow while it is read, or report no size: counts the bytes read.
    for await (const part of file.createReadStream({ start: 0, end: limit, autoClose: false })) {
      parts.push(part)
      size += part.length
    }
    if (size > limit) throw new Refusal('ErrFieldTooLarge', { field: formatPath(path), max: limit })
    return Buffer.concat(parts)
  }

  /** Replaces the content atomically. A new file has mode 0644, an existing one keeps its mode. */
  async writeFile(path: SafePath, content: string | Uint8Array): Promise<void> {
    await using draft = await this.draft(path)
    await draft.write(typeof content === 'string' ? Buffer.from(content) : content)
    await draft.commit()
  }

  /**
   * Starts a file that appears when it is complete. Throws `ErrFileExists` and `ErrStaleVersion` immediately if they
   * apply, and again from `commit`.
   */
  async draft(path: SafePath, options: DraftOptions = {}): Promise<Draft> {
    const beginning = withRefusals(path, () => this.#tree.resolveParent(path, { followLast: true })).then((target) =>
      Draft.begin(this.#tree, { ...target, path, resolved: target.path }, options),
    )
    return await withRollback(beginning, () => options.reservation?.[Symbol.dispose]())
  }

  /** Starts a tree of so many bytes, if they are known, that is merged into a directory when it is complete. */
  async stage(folder: SafePath, bytes = 0): Promise<Staging> {
    return await Staging.begin(this.#tree, folder, bytes)
  }

  /**
   * Moves a finished file of the daemon, from any file system, into the tree. The source is gone afterwards, unless
   * this fails. The caller has reserved the space for it.
   */
  async importFile(file: string, to: SafePath, { onConflict }: { onConflict: ConflictPolicy }): Promise<VersionedInfo> {
    return await importFile(this.#tree, file, to, onConflict)
  }

  /** Opens a regular file. The caller must close it. */
  async open(path: SafePath, opening: Opening): Promise<FileHandle> {
    return await openFile(this.#tree, path, opening)
  }

  /** Opens an existing regular file and empties it, see `openToOverwrite`. The caller must close both. */
  async openToOverwrite(
    path: SafePath,
    flags: Flags,
    isOpen: (stats: BigIntStats) => Promise<boolean>,
  ): Promise<Overwriting> {
    return await openToOverwrite(this.#tree, path, flags, isOpen)
  }

  /** Copies the content of an opened file before it is overwritten in place, see `setAside`. The caller must close it. */
  async setAside(path: SafePath, file: FileHandle): Promise<FormerContent | undefined> {
    return await setAside(this.#tree, path, file)
  }

  /** Opens a regular file of other files, such as the trash, if these files may have it. The caller must close it. */
  async openFrom(source: RootFs, path: SafePath): Promise<FileHandle> {
    this.#tree.denied?.assertAllowed(path)
    return await withRefusals(path, async () => {
      const { folder, name } = await source.#tree.resolveParent(path, { followLast: false })
      await using _ = folder
      return await this.#tree.openFile(folder, name, constants.O_RDONLY, path)
    })
  }

  /** Returns the path after following links that stay inside. The file need not exist, its directory must. */
  async realPath(path: SafePath): Promise<SafePath> {
    return await withRefusals(path, async () => {
      const { folder, path: resolved } = await this.#tree.resolveParent(path, { followLast: true })
      await using _ = folder
      return resolved
    })
  }

  /** Syncs a directory, after drafts with `syncsDirectory: false`. */
  async syncDirectory(path: SafePath): Promise<void> {
    await withRefusals(path, async () => {
      await using folder = await this.#tree.openDir(path)
      await folder.sync()
    })
  }

  /** Creates a directory and its parents. Does nothing when it exists. */
  async mkdirs(path: SafePath): Promise<void> {
    await withRefusals(path, async () => {
      await using _ = await this.#tree.openDir(path, { create: true })
    })
  }

  /** Creates a directory in an existing one. Throws `ErrFileExists`. */
  async mkdir(path: SafePath, mode: number): Promise<void> {
    await withRefusals(path, async () => {
      const { folder, name } = await this.#tree.resolveParent(path, { followLast: false })
      await using _ = folder
      await mkdir(folder.pathTo(name), mode)
      await using created = await folder.openDir(name)
      await this.#tree.chownDir(created)
    })
  }

  /**
   * Renames atomically. An existing file is replaced, or refused with `ErrFileExists`; so is an empty directory by a
   * directory. Links are moved as links.
   */
  async rename(
    from: SafePath,
    to: SafePath,
    { onConflict = 'replace' }: { onConflict?: 'refuse' | 'replace' } = {},
  ): Promise<void> {
    await move(this.#tree, from, to, onConflict)
  }

  /**
   * Copies a file, a link as a link, or a directory with its contents; existing directories are merged. Entries that
   * cannot be copied, such as pipes and links that would lead out, are skipped and reported to `progress`. Returns the
   * target path.
   */
  async copyTree(from: SafePath, to: SafePath, options: CopyOptions): Promise<SafePath> {
    return await copyTree(this.#tree, from, to, options)
  }

  /** Returns an unused name in a directory: `a.zip`, `a (2).zip`, `a (3).zip` ... */
  async freeName(folder: SafePath, name: string): Promise<string> {
    return await withRefusals(folder, async () => {
      await using handle = await this.#tree.openDir(folder)
      return String(await freeNameIn(handle, name))
    })
  }

  /** Returns the target of a link; it may lead anywhere. */
  async readlink(path: SafePath): Promise<string> {
    return await withRefusals(path, async () => {
      const { folder, name } = await this.#tree.resolveParent(path, { followLast: false })
      await using _ = folder
      return await readlink(folder.pathTo(name)).catch((error: unknown) => {
        if (getCode(error) === 'EINVAL') throw new Refusal('ErrNotAFile', { path: formatPath(path) }, { cause: error })
        throw error
      })
    })
  }

  /** Creates a link to a target inside, which need not exist. */
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

  /** Creates a link from an archive. Returns false when it leads out, or something has its name that is kept. */
  async placeLink(
    link: { readonly target: string; readonly path: SafePath },
    onConflict: ExtractConflictPolicy,
  ): Promise<boolean> {
    return await withRefusals(link.path, () => placeLink(this.#tree, link, onConflict))
  }

  /** Sets the given attributes of a file or directory. Only the permission bits of the mode are used. */
  async setStat(of: SafePath | FileHandle, changes: FileStat): Promise<void> {
    await setStat(this.#tree, of, changes)
  }

  /** Removes a file, a link or a directory with its contents; of the server's own directory, the contents. */
  async removeTree(path: SafePath, options: RemoveOptions = {}): Promise<void> {
    await withRefusals(path, async () => {
      if (path.length === 0) {
        await refuseDeniedBelow(this.#tree, { folder: this.#tree.root, name: '.' }, [rootPath])
        return await removeContents(this.#tree.root, options)
      }
      const { folder, name, path: resolved } = await this.#tree.resolveParent(path, { followLast: false })
      await using _ = folder
      await refuseDeniedBelow(this.#tree, { folder, name }, [resolved])
      await removeIn(folder, name, options)
    })
  }

  /** Like `removeTree`, but moves the entry to the trash if possible. */
  async discard(path: SafePath, options: RemoveOptions = {}): Promise<void> {
    if (path.length > 0 && (await this.#moveToTrash(path))) {
      if (options.progress) options.progress.entries++
    } else {
      await this.removeTree(path, options)
    }
  }

  /** Like `discard`, for an empty directory. Returns false, and changes nothing, when it has contents. */
  async discardEmptyFolder(path: SafePath): Promise<boolean> {
    return await withRefusals(path, async () => {
      const { folder, name } = await this.#tree.resolveParent(path, { followLast: false })
      await using _ = folder
      await using empty = await folder.openDir(name)
      if ((await empty.names()).length > 0) return false
      if (await this.#moveToTrash(path, 'rmdir')) return true
      return (await rmdir(folder.pathTo(name)).then(() => true, ignoreErrors('ENOTEMPTY', 'EEXIST'))) ?? false
    })
  }

  async #moveToTrash(path: SafePath, method: 'rename' | 'rmdir' = 'rename'): Promise<boolean> {
    const sink = this.#tree.discarded
    if (!sink) return false
    return await withRefusals(path, async () => {
      const { folder, name, path: resolved } = await this.#tree.resolveParent(path, { followLast: false })
      await using _ = folder
      await refuseDeniedBelow(this.#tree, { folder, name }, [resolved])
      const stats = await lstatOrUndefined(folder, name)
      return stats !== undefined && (await sink.keep({ folder, name, path: resolved, stats }, method, 'deleted'))
    })
  }

  /**
   * Moves the contents of a directory of other files on the same file system into the server's directory, only with
   * renames. Existing directories are merged.
   */
  async moveIn(source: RootFs, folder: SafePath, options: MergeOptions): Promise<void> {
    await using tree = await withRefusals(folder, () => source.#tree.openDir(folder))
    await withRefusals(rootPath, async () => {
      await mergeInto({ root: this.#tree, tree, target: this.#tree.root, path: rootPath }, options)
    })
  }

  /** See `finishReplacements`. */
  async finishReplacements(): Promise<ReadonlyMap<string, ReplacementOutcome>> {
    await using top = await this.#tree.openDir(rootPath)
    return await finishReplacements(top)
  }

  /** The owner of the server's files. */
  get owner(): Owner {
    return this.#tree.owner
  }

  /** Changes everything to the owner of the server's files, after a program of another user has written to them. */
  async restoreOwner(): Promise<void> {
    await this.#tree.restoreOwner()
  }

  /** Removes temporary files that an earlier daemon left. Returns their number. */
  async removeLeftovers({ signal }: { signal?: AbortSignal } = {}): Promise<number> {
    await this.finishReplacements()
    return await removeLeftovers(await this.#tree.openDir(rootPath), signal)
  }

  /** Removes all files and the server's directory itself; afterwards only `close` is allowed. */
  async removeAll({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await this.removeTree(rootPath, { signal })
    await rmdir(this.directory).catch(async (error: unknown) => {
      // An operator may have moved the directory elsewhere and left a link.
      if (getCode(error) !== 'ENOTDIR') throw error
      await unlink(this.directory)
    })
  }

  /** Returns the paths that match a pattern, by name. Unreadable directories match nothing. */
  async glob(pattern: SafePattern): Promise<SafePath[]> {
    let found: SafePath[] = [rootPath]
    for (const part of pattern) {
      const deeper: SafePath[] = []
      for (const folder of found) {
        const names = hasWildcard(part)
          ? (await this.#namesIn(folder)).filter((name) => matchesPattern(name, part))
          : [part]
        deeper.push(...names.toSorted().map((name) => getChild(folder, name)))
      }
      found = deeper
    }
    const there: SafePath[] = []
    for (const path of found) if (await this.lstat(path).catch(ignoreUnreachable)) there.push(path)
    return there
  }

  /** The real path of a directory, as the working directory of a process. */
  async workingDirectory(path: SafePath): Promise<string> {
    return await withRefusals(path, async () => {
      await using folder = await this.#tree.openDir(path)
      const root = await readlink(this.#tree.root.path)
      const inside = await readlink(folder.path)
      if (inside !== root && !inside.startsWith(`${root}/`)) throw outsideRoot(path)
      return inside
    })
  }

  /** Free bytes on the disk. */
  async freeBytes(): Promise<number> {
    const { available, blockSize } = await this.space()
    return available * blockSize
  }

  /** Size and free space of the server's file system. */
  async space(): Promise<Space> {
    const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(this.#tree.root.path)
    return { blockSize: bsize, blocks, free: bfree, available: bavail, files, filesFree: ffree }
  }

  /** Used and allowed space of the server; undefined without a limit. */
  get limitedSpace(): DiskSpace | undefined {
    return this.#tree.budget?.space
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#use?.[Symbol.dispose]()
    await this.#tree[Symbol.asyncDispose]()
  }

  async #readStat(path: SafePath, followLast: boolean): Promise<VersionedInfo | undefined> {
    try {
      return await withRefusals(path, async () => {
        if (path.length === 0) return getVersionedInfo('', await this.#tree.root.stat())
        const entry = await this.#tree.resolveParent(path, { followLast, onlyStat: true })
        await using folder = entry.folder
        const stats = followLast ? entry.stats : await lstatOrUndefined(folder, entry.name)
        return stats && getVersionedInfo(getName(path), stats)
      })
    } catch (error) {
      if (isRefusal(error, 'ErrFileNotFound')) return undefined
      // A link inside may lead to the server's own directory, which has no parent here.
      if (isRefusal(error, 'ErrNotAFile')) {
        return getVersionedInfo(getName(path), await this.#tree.root.stat())
      }
      throw error
    }
  }

  async #namesIn(folder: SafePath): Promise<string[]> {
    const reading = withRefusals(folder, async () => {
      await using handle = await this.#tree.openDir(folder)
      return await handle.names()
    })
    const names = await reading.catch(ignoreUnreachable)
    return (names ?? [])
      .filter((name) => isReachable(name))
      .map(String)
      .filter((name) => !isTemporary(name))
  }
}

/** Missing, or not accessible by path. */
const ignoreUnreachable = ignoreRefusals('ErrFileNotFound', 'ErrIllegalFileAccess')
