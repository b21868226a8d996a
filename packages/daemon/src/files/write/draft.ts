import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises'
import { withLock } from '@innkeeper/contract/mutex'
import { Refusal } from '@innkeeper/contract/refusals'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { formatPath, type SafePath } from '../path/safe-path.ts'
import { lstatOrUndefined, type TreeRoot } from '../path/tree-root.ts'
import { withRefusals } from '../path/with-refusals.ts'
import { type VersionedInfo, versionedInfoOf, versionOf } from '../read/file-info.ts'
import { BufferedFileWriter, type Sink } from './buffered-file-writer.ts'
import { lockKeyOf, renameExclusive } from './rename-exclusive.ts'
import { temporaryName } from './temporary.ts'

export interface DraftOptions {
  /** Whether a file of that name may be there. */
  readonly existing?: 'refuse' | 'replace'
  /** The version that is to be replaced; another one, or none, is refused with `ErrStaleVersion`. */
  readonly ifVersion?: string
  /** Else the file keeps the mode of the one that it replaces, or has 0644. */
  readonly mode?: number
  /** Else now. */
  readonly modified?: Date
  /** Whoever makes many files saves time with `false`, and calls `RootFs.syncFolder` once for all of a folder. */
  readonly syncsDirectory?: boolean
}

interface Target {
  /** The draft lets go of it. */
  readonly folder: DirHandle
  readonly name: RawName
  /** How it is called in refusals. */
  readonly path: SafePath
  /** What has the name now. */
  readonly stats: BigIntStats | undefined
}

/**
 * A file that is being written. It appears under its name when it is whole, at `commit`; let go of before that, nothing
 * is left of it.
 */
export class Draft implements AsyncDisposable, Sink {
  readonly #tree: TreeRoot
  readonly #target: Target
  readonly #options: DraftOptions
  readonly #file: FileHandle
  readonly #temporary: string
  readonly #mode: number
  readonly #writer: BufferedFileWriter
  #state: 'open' | 'placed' | 'closed' = 'open'

  private constructor(tree: TreeRoot, target: Target, options: DraftOptions, file: FileHandle, own: DraftParts) {
    this.#tree = tree
    this.#target = target
    this.#options = options
    this.#file = file
    this.#temporary = own.temporary
    this.#mode = own.mode
    this.#writer = new BufferedFileWriter(file)
  }

  /**
   * Begins a file, or with `whole` takes a file of ours on the same disk for what was written so far, by a second name.
   * Takes over the held folder, also when this fails.
   */
  static async begin(tree: TreeRoot, target: Target, options: DraftOptions, content?: string): Promise<Draft> {
    const { folder } = target
    try {
      return await withRefusals(target.path, async () => {
        check(target, target.stats, options)
        const temporary = folder.pathTo(temporaryName())
        const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
        if (content !== undefined) await link(content, temporary)
        const file = await open(temporary, O_RDWR | O_NOFOLLOW | (content === undefined ? O_CREAT | O_EXCL : 0), 0o644)
        const mode = options.mode ?? (target.stats ? Number(target.stats.mode) : 0o644)
        return new Draft(tree, target, options, file, { temporary, mode: mode & 0o777 })
      })
    } catch (error) {
      await folder[Symbol.asyncDispose]()
      throw error
    }
  }

  /** How many bytes it has so far. */
  get size(): number {
    return this.#writer.position
  }

  push(chunk: Uint8Array): boolean {
    return this.#writer.push(chunk)
  }

  drained(): Promise<void> {
    return this.#writer.drained()
  }

  /** Takes the next bytes, which are the caller's again at once, and waits until there is room for more. */
  async write(chunk: Uint8Array): Promise<void> {
    await this.#writer.write(chunk)
  }

  /** Makes the file appear, whole and for good; says what it is now. */
  async commit(): Promise<VersionedInfo> {
    return await withRefusals(this.#target.path, async () => {
      await this.#writer.end()
      const { folder, name } = this.#target
      const { existing, modified, ifVersion, syncsDirectory = true } = this.#options
      const found = await this.#file.stat()
      await this.#tree.chown(this.#file.fd, found)
      if ((found.mode & 0o7777) !== this.#mode) await this.#file.chmod(this.#mode)
      const time = modified ?? uniqueTime()
      await this.#file.utimes(time, time)
      await this.#file.sync()
      await withLock([await lockKeyOf(folder, name)], async () => {
        // What else may have come meanwhile is told by the file system, in the same step.
        if (ifVersion !== undefined) check(this.#target, await lstatOrUndefined(folder, name), this.#options)
        if (existing === 'refuse') await renameExclusive(this.#temporary, folder.pathTo(name))
        else await rename(this.#temporary, folder.pathTo(name))
        this.#state = 'placed'
      })
      if (syncsDirectory) await folder.sync()
      return await this.info()
    })
  }

  /** What the file is now; by its descriptor, since what has its name may be the next version already. */
  async info(): Promise<VersionedInfo> {
    return versionedInfoOf(this.#target.name, await this.#file.stat({ bigint: true }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === 'closed') return
    const isPlaced = this.#state === 'placed'
    this.#state = 'closed'
    // Whoever wrote was told of failures, or has given up.
    await this.#writer.settled()
    await this.#file.close()
    // What cannot be removed now, because the disk is read-only all at once, is swept away when the server is loaded.
    if (!isPlaced) await unlink(this.#temporary).catch(() => {})
    await this.#target.folder[Symbol.asyncDispose]()
  }
}

interface DraftParts {
  readonly temporary: string
  readonly mode: number
}

/** Refuses to replace what must not be. */
function check({ path }: Target, stats: BigIntStats | undefined, { existing, ifVersion }: DraftOptions): void {
  if (ifVersion !== undefined && (!stats || versionOf(stats) !== ifVersion)) {
    throw new Refusal('ErrStaleVersion', { path: formatPath(path) })
  }
  if (stats && existing === 'refuse') throw new Refusal('ErrFileExists', { path: formatPath(path) })
  if (stats && !stats.isFile()) throw new Refusal('ErrNotAFile', { path: formatPath(path) })
}

let latest = 0

/**
 * Now, and never the same twice. The clock of the file system stands still for some milliseconds, and the number of a
 * removed file is given to the next: without this, two versions of the same size could look alike.
 */
function uniqueTime(): number {
  const now = Date.now()
  // A clock that was put back is followed.
  latest = now > latest || latest - now > 1000 ? now : latest + 0.001
  return latest / 1000
}
