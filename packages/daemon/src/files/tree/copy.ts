import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, readlink, rename, symlink, unlink } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ConflictPolicy } from '@innkeeper/contract/servers/files'
import { ConcurrencyLimiter } from '../../concurrency/concurrency-limiter.ts'
import { closeOnError, withRollback } from '../../errors/cleanup.ts'
import { getCode } from '../../errors/error-code.ts'
import { isRefusal } from '../../errors/refusals.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { DirStack } from '../path/dir-stack.ts'
import { freeNameIn, temporaryName } from '../path/names.ts'
import {
  findParent,
  formatPath,
  isBelow,
  listedPath,
  listedPathBelow,
  rootPath,
  type SafePath,
  withRefusals,
} from '../path/safe-path.ts'
import { lstatOrUndefined, mkdirIfMissing, type TreeRoot } from '../path/tree-root.ts'
import { readChunkBytes } from '../read/bytes.ts'
import { getTime } from '../read/file-info.ts'
import { Draft } from '../write/draft.ts'
import { refuseDeniedBelow } from './denied-below.ts'
import type { Progress } from './progress.ts'
import { removeIn } from './remove-tree.ts'
import { walkBelow } from './walk.ts'

export interface CopyOptions {
  /** How existing files are handled; directories are merged. */
  readonly onConflict: ConflictPolicy
  /** Counts entries, bytes and skipped entries. */
  readonly progress?: Progress | undefined
  readonly signal?: AbortSignal | undefined
}

/** A file to copy: an open directory and a name, with its path for errors. */
interface Source {
  readonly folder: DirHandle
  readonly name: RawName
  readonly stats: BigIntStats
  readonly path: SafePath
}

/** Concurrent copies: most of the time each waits for fsync. */
const concurrency = 8

/** Gone, replaced by a link or a pipe, or unreadable. */
const skippableCodes: readonly string[] = ['ENOENT', 'ELOOP', 'ENXIO', 'ENODEV', 'EACCES', 'EPERM']

interface CopyTarget {
  readonly folder: DirHandle
  readonly name: RawName
  /** The path without links. */
  readonly at: SafePath
}

/** A copy whose files are open. */
interface StartedCopy {
  readonly name: RawName
  end(): Promise<void>
}

/** Copies a file, a link as a link, or a directory with its contents. Returns the target path. */
export async function copyTree(tree: TreeRoot, from: SafePath, to: SafePath, options: CopyOptions): Promise<SafePath> {
  if (from.length === 0) throw new Refusal('ErrFolderInItself')
  return await withRefusals(from, async () => {
    const source = await tree.resolveParent(from, { followLast: false })
    await using _ = source.folder
    const stats = await lstatOrUndefined(source.folder, source.name)
    if (!stats) throw new Refusal('ErrFileNotFound', { path: formatPath(from) })
    const target = await withRefusals(to, () => tree.resolveParent(to, { followLast: false }))
    await using __ = target.folder
    await refuseDeniedBelow(tree, source, [source.path, target.path])
    const root: Source = { ...source, stats, path: from }
    const copier = new Copier(tree, options)

    if (!stats.isDirectory()) {
      const name = await copier.copyOne(root, { ...target, at: target.path })
      await target.folder.sync()
      if (name === undefined) throw new Refusal('ErrNotAFile', { path: formatPath(from) })
      return listedPath(findParent(to) ?? rootPath, name)
    }
    const isSame = formatPath(target.path) === formatPath(source.path)
    if (isBelow(target.path, source.path) && !(isSame && options.onConflict === 'keepBoth')) {
      throw new Refusal('ErrFolderInItself')
    }
    const name = isSame ? await freeNameIn(target.folder, target.name) : target.name
    const isNew = !(await lstatOrUndefined(target.folder, name))
    const at = listedPath(findParent(target.path) ?? rootPath, name)
    const copying = copier.copyFolder(root, { ...target, name, at }).then(() => syncFolders(target.folder, name))
    await withRollback(copying, async () => {
      // A partial copy is removed.
      if (isNew) await removeIn(target.folder, name).catch(() => {})
    })
    return listedPath(findParent(to) ?? rootPath, name)
  })
}

class Copier {
  readonly #tree: TreeRoot
  readonly #options: CopyOptions

  constructor(tree: TreeRoot, options: CopyOptions) {
    this.#tree = tree
    this.#options = options
  }

  async copyFolder(source: Source, target: CopyTarget): Promise<void> {
    const { signal, progress, onConflict } = this.#options
    // A free name is only free until the previous copy has taken it.
    await using limiter = new ConcurrencyLimiter(onConflict === 'keepBoth' ? 1 : concurrency)
    const onUnreadable = (names: readonly RawName[]) => progress?.skip(formatPath(listedPathBelow(source.path, names)))
    await using way = new DirStack(await this.#createDir(target, source.stats))
    if (progress) progress.entries++
    const steps = walkBelow(await source.folder.openDir(source.name), { signal, onUnreadable })
    for await (const { folder, above, name, stats } of steps) {
      while (way.depth > above.length) await way.pop()
      const names = [...above, name]
      const deeper: CopyTarget = { folder: await way.current(), name, at: listedPathBelow(target.at, names) }
      if (stats.isDirectory()) {
        await (await this.#createDir(deeper, stats))[Symbol.asyncDispose]()
        await way.push(name)
        if (progress) progress.entries++
      } else {
        const child: Source = { folder, name, stats, path: listedPathBelow(source.path, names) }
        const copy = await this.#begin(child, deeper, await this.#openOrSkip(child))
        if (copy) await limiter.add(copy.end())
      }
    }
    await limiter.end()
  }

  /** Copies anything but a directory. Returns the name of the copy; undefined when skipped. */
  async copyOne(source: Source, target: CopyTarget): Promise<RawName | undefined> {
    const copy = await this.#begin(source, target, await this.#open(source))
    await copy?.end()
    return copy?.name
  }

  async #open({ folder, name, stats, path }: Source): Promise<FileHandle | undefined> {
    return stats.isFile() ? await this.#tree.openFile(folder, name, constants.O_RDONLY, path) : undefined
  }

  /** One unreadable or replaced file must not fail the whole copy. */
  async #openOrSkip(source: Source): Promise<FileHandle | undefined> {
    return await this.#open(source).catch((error: unknown) => {
      if (isRefusal(error) || skippableCodes.includes(getCode(error))) return undefined
      throw error
    })
  }

  /**
   * Opens what it needs while both directories are open; the rest runs without them. Returns undefined when skipped.
   */
  async #begin(source: Source, target: CopyTarget, file: FileHandle | undefined): Promise<StartedCopy | undefined> {
    return await withRollback(this.#beginWith(source, target, file), () => file?.close())
  }

  async #beginWith(source: Source, target: CopyTarget, file: FileHandle | undefined): Promise<StartedCopy | undefined> {
    const { onConflict, progress } = this.#options
    const name = onConflict === 'keepBoth' ? await freeNameIn(target.folder, target.name) : target.name
    if (file) {
      const folder = target.folder.dup()
      return { name, end: () => this.#copyFile(file, source.stats, { folder, name, at: target.at }) }
    }
    if (source.stats.isSymbolicLink() && (await this.#copyLink(source, { ...target, name }))) {
      if (progress) progress.entries++
      return { name, end: async () => {} }
    }
    progress?.skip(formatPath(source.path))
    return undefined
  }

  /** Takes ownership of the file and of the target directory. */
  async #copyFile(opened: FileHandle, stats: BigIntStats, target: CopyTarget): Promise<void> {
    const { progress, signal } = this.#options
    await using file = opened
    await using draft = await this.#beginDraft(stats, target)
    const buffer = Buffer.allocUnsafe(Math.min(Number(stats.size) + 1, readChunkBytes))
    for (;;) {
      signal?.throwIfAborted()
      const { bytesRead } = await file.read(buffer, 0, buffer.length, draft.size)
      if (bytesRead === 0) break
      await draft.write(buffer.subarray(0, bytesRead))
      if (progress) progress.bytes += bytesRead
    }
    await draft.commit()
    if (progress) progress.entries++
  }

  async #beginDraft(stats: BigIntStats, { folder, name, at }: CopyTarget): Promise<Draft> {
    const options = {
      onConflict: this.#options.onConflict === 'replace' ? 'replace' : 'refuse',
      mode: Number(stats.mode) & 0o777,
      modified: getTime(stats.mtimeNs),
      syncsDirectory: false,
    } as const
    return await Draft.begin(
      this.#tree,
      { folder, name, path: at, resolved: at, stats: await lstatOrUndefined(folder, name) },
      options,
    )
  }

  /** Skips a link that would lead out from its new location. */
  async #copyLink({ folder, name }: Source, target: CopyTarget): Promise<boolean> {
    const link = await readlink(folder.pathTo(name), { encoding: 'buffer' })
    if (!(await this.#tree.resolve(link.toString('latin1'), target.at.slice(0, -1)))) return false
    if (this.#options.onConflict !== 'replace') {
      await symlink(link, target.folder.pathTo(target.name))
    } else {
      const temporary = temporaryName()
      await symlink(link, target.folder.pathTo(temporary))
      const replacing = this.#tree
        .discardReplaced(target.folder, target.name, target.at)
        .then(() => rename(target.folder.pathTo(temporary), target.folder.pathTo(target.name)))
      await withRollback(replacing, () => unlink(target.folder.pathTo(temporary)))
    }
    return true
  }

  /** Creates a directory unless it exists, and opens it. */
  async #createDir({ folder, name, at }: CopyTarget, { mode }: BigIntStats): Promise<DirHandle> {
    const isNew = await mkdirIfMissing(folder.pathTo(name), (Number(mode) & 0o777) | 0o700)
    const inner = await folder.openDir(name).catch((error: unknown) => {
      if (!['ENOTDIR', 'ELOOP'].includes(getCode(error))) throw error
      throw new Refusal('ErrFileExists', { path: formatPath(at) }, { cause: error })
    })
    if (isNew) await closeOnError(inner, (created) => this.#tree.chownDir(created))
    return inner
  }
}

/** Syncs all directories of a tree. */
async function syncFolders(folder: DirHandle, name: RawName): Promise<void> {
  await using limiter = new ConcurrencyLimiter(concurrency)
  const sync = async (handle: DirHandle) => {
    await using folder = handle
    await folder.sync()
  }
  const top = await folder.openDir(name)
  await top.sync()
  for await (const step of walkBelow(top)) {
    if (step.stats.isDirectory()) await limiter.add(sync(await step.folder.openDir(step.name)))
  }
  await limiter.end()
  await folder.sync()
}
