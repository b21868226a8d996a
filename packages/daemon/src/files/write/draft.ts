import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { withRollback } from '../../errors/cleanup.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { temporaryName } from '../path/names.ts'
import { formatPath, type SafePath, withRefusals } from '../path/safe-path.ts'
import { lstatOrUndefined, type TreeRoot } from '../path/tree-root.ts'
import { getVersion, getVersionedInfo, type VersionedInfo } from '../read/file-info.ts'
import { reserveWithin, type SpaceReservation } from '../space/write-budget.ts'
import { BufferedFileWriter, type Sink } from './buffered-file-writer.ts'
import { getLockKey, renameExclusive } from './rename-exclusive.ts'

export interface DraftOptions {
  /** Whether the file may exist. */
  readonly onConflict?: 'refuse' | 'replace'
  /** The version to replace; another one, or none, is refused with `ErrStaleVersion`. */
  readonly ifVersion?: string
  /** Default: the mode of the replaced file, or 0644. */
  readonly mode?: number
  /** Default: now. */
  readonly modified?: Date
  /** With `false`, the caller calls `RootFs.syncDirectory` once after many files. */
  readonly syncsDirectory?: boolean
  /** Space for the content, which the draft settles or disposes. Default: reserved while it is written. */
  readonly reservation?: SpaceReservation
}

interface Target {
  /** Closed by the draft. */
  readonly folder: DirHandle
  readonly name: RawName
  /** The path for errors. */
  readonly path: SafePath
  /** The path after links were followed. */
  readonly resolved: SafePath
  /** The stats of the existing file. */
  readonly stats: BigIntStats | undefined
}

/**
 * A file that is being written. It appears under its name at `commit`, when it is complete; disposed before, nothing is
 * left of it.
 */
export class Draft implements AsyncDisposable, Sink {
  readonly #tree: TreeRoot
  readonly #target: Target
  readonly #options: DraftOptions
  readonly #file: FileHandle
  readonly #temporary: string
  readonly #mode: number
  readonly #reservation: SpaceReservation
  readonly #writer: BufferedFileWriter
  #state: 'open' | 'placed' | 'closed' = 'open'

  private constructor(tree: TreeRoot, target: Target, options: DraftOptions, file: FileHandle, own: DraftParts) {
    this.#tree = tree
    this.#target = target
    this.#options = options
    this.#file = file
    this.#temporary = own.temporary
    this.#mode = own.mode
    this.#reservation = own.reservation
    this.#writer = new BufferedFileWriter(file, { reservation: own.reservation })
  }

  /**
   * Starts a file. With `content`, a file of the daemon on the same file system is the initial content, by a hard link.
   * Takes ownership of the directory handle, also on failure.
   */
  static async begin(tree: TreeRoot, target: Target, options: DraftOptions, content?: string): Promise<Draft> {
    const beginning = withRefusals(target.path, async () => {
      check(target, target.stats, options)
      const temporary = target.folder.pathTo(temporaryName())
      const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
      if (content !== undefined) await link(content, temporary)
      const file = await open(temporary, O_RDWR | O_NOFOLLOW | (content === undefined ? O_CREAT | O_EXCL : 0), 0o644)
      const mode = options.mode ?? (target.stats ? Number(target.stats.mode) : 0o644)
      const reservation = options.reservation ?? (await reserveWithin(tree.budget, 0))
      return new Draft(tree, target, options, file, { temporary, mode: mode & 0o777, reservation })
    })
    return await withRollback(beginning, () => target.folder[Symbol.asyncDispose]())
  }

  /** Size so far, in bytes. */
  get size(): number {
    return this.#writer.position
  }

  push(chunk: Uint8Array): boolean {
    return this.#writer.push(chunk)
  }

  drained(): Promise<void> {
    return this.#writer.drained()
  }

  /** Writes the next bytes, which the caller may reuse at once, and waits until there is room for more. */
  async write(chunk: Uint8Array): Promise<void> {
    await this.#writer.write(chunk)
  }

  /** Makes the complete file appear durably under its name. Returns its information. */
  async commit(): Promise<VersionedInfo> {
    return await withRefusals(this.#target.path, async () => {
      await this.#writer.end()
      const { folder, name } = this.#target
      const { onConflict, modified, ifVersion, syncsDirectory = true } = this.#options
      const found = await this.#file.stat()
      await this.#tree.chown(this.#file.fd, found)
      if ((found.mode & 0o7777) !== this.#mode) await this.#file.chmod(this.#mode)
      const time = modified ?? uniqueTime()
      await this.#file.utimes(time, time)
      await this.#file.sync()
      await withLock([await getLockKey(folder, name)], async () => {
        // The file system detects conflicts atomically in the same call.
        if (ifVersion !== undefined) check(this.#target, await lstatOrUndefined(folder, name), this.#options)
        if (onConflict === 'refuse') await renameExclusive(this.#temporary, folder.pathTo(name))
        else {
          const { modifiedNs } = await this.info()
          await this.#tree.discardReplaced(folder, name, this.#target.resolved, modifiedNs)
          await rename(this.#temporary, folder.pathTo(name))
        }
        this.#state = 'placed'
        this.#reservation.settle()
      })
      if (syncsDirectory) await folder.sync()
      return await this.info()
    })
  }

  /** The file's information, by descriptor: its name may already have the next version. */
  async info(): Promise<VersionedInfo> {
    return getVersionedInfo(this.#target.name, await this.#file.stat({ bigint: true }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === 'closed') return
    const isPlaced = this.#state === 'placed'
    this.#state = 'closed'
    // The writer was told about failures, or has given up.
    await this.#writer.settled()
    await this.#file.close()
    // If the removal fails because the disk became read-only, it is removed when the server is loaded.
    if (!isPlaced) await unlink(this.#temporary).catch(() => {})
    this.#reservation[Symbol.dispose]()
    await this.#target.folder[Symbol.asyncDispose]()
  }
}

interface DraftParts {
  readonly temporary: string
  readonly mode: number
  readonly reservation: SpaceReservation
}

/** Refuses to replace a file against the options. */
function check({ path }: Target, stats: BigIntStats | undefined, { onConflict, ifVersion }: DraftOptions): void {
  if (ifVersion !== undefined && (!stats || getVersion(stats) !== ifVersion)) {
    throw new Refusal('ErrStaleVersion', { path: formatPath(path) })
  }
  if (stats && onConflict === 'refuse') throw new Refusal('ErrFileExists', { path: formatPath(path) })
  if (stats && !stats.isFile()) throw new Refusal('ErrNotAFile', { path: formatPath(path) })
}

let latest = 0

/**
 * The current time, never the same twice. File system clocks have a resolution of some milliseconds, and inode numbers
 * are reused: otherwise two versions of the same size could be equal.
 */
function uniqueTime(): number {
  const now = Date.now()
  // A clock that was set back is followed.
  latest = now > latest || latest - now > 1000 ? now : latest + 0.001
  return latest / 1000
}
