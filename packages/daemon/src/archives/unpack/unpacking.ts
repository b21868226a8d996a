import type { FileHandle } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ExtractConflictPolicy } from '@innkeeper/contract/servers/files'
import { withRollback } from '../../errors/cleanup.ts'
import { staysInside } from '../../files/path/link-target.ts'
import { formatPath, isBelow, listedPathBelow, type SafePath } from '../../files/path/safe-path.ts'
import type { RootFs } from '../../files/root.ts'
import type { Progress } from '../../files/tree/progress.ts'
import type { Staging } from '../../files/tree/staging.ts'
import { archiveTimeoutMs, archiveTooLarge, maxArchiveDepth } from '../formats/archive-errors.ts'
import { entryPath, printableName } from './entry-path.ts'

const maxUnpackedBytes = 256 * 1024 ** 3
const maxEntries = 1_000_000
/** Maximum compression ratio of archives from a minimum size. */
const maxRatio = 1_000
const minRatioBytes = 256 * 1024 ** 2

/** The header of an archive entry. */
export interface Entry {
  /** undefined when it is not valid UTF-8. */
  readonly name: string | undefined
  /** The name with replacement characters, if it is not. */
  readonly shownName?: string | undefined
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly mode?: number | undefined
  readonly modified?: Date | undefined
}

export interface ArchiveLimits {
  readonly bytes: number
  readonly entries: number
  readonly depth: number
  /** Maximum ratio to the archive's size, checked beyond `ratioFromBytes`. */
  readonly ratio: number
  readonly ratioFromBytes: number
  readonly ms: number
}

export const archiveLimits: ArchiveLimits = {
  bytes: maxUnpackedBytes,
  entries: maxEntries,
  depth: maxArchiveDepth,
  ratio: maxRatio,
  ratioFromBytes: minRatioBytes,
  ms: archiveTimeoutMs,
}

interface Deps {
  readonly files: RootFs
  readonly destination: SafePath
  readonly onConflict: ExtractConflictPolicy
  readonly progress: Progress
  readonly signal: AbortSignal
  /** The size of the archive itself. */
  readonly packedBytes: number
  readonly limits: ArchiveLimits
}

/** A file that is being extracted. Without `commit` nothing is kept. */
export interface UnpackedFile extends AsyncDisposable {
  /** Takes ownership of the bytes. */
  write(bytes: Uint8Array): Promise<void>
  commit(): Promise<void>
}

/** An archive that is being extracted. */
export interface OpenedArchive {
  readonly file: FileHandle
  readonly size: number
  readonly unpacking: Unpacking
  readonly progress: Progress
  readonly signal: AbortSignal
}

interface Link {
  readonly entry: Entry
  readonly path: SafePath
  readonly target: string
}

const maxLinks = 100_000
/** Maximum number of directory times to restore. */
const maxFolderTimes = 100_000

/**
 * Extracts into a temporary tree, which is merged when it is complete. Archives are not trusted: names are validated,
 * and bytes are counted as they are written. Entries that cannot be placed are reported and skipped.
 */
export class Unpacking implements AsyncDisposable {
  readonly #deps: Deps
  readonly #staging: Staging
  readonly #folderTimes: { readonly path: SafePath; readonly modified: Date }[] = []
  readonly #inProgress = new Set<{ readonly path: SafePath; readonly done: Promise<void> }>()
  /** For top-level names: whether they exist already, so that names below may exist too. */
  readonly #mayExist = new Map<string, boolean>()
  /** By path. They are created last, so that nothing is ever written through them. */
  readonly #links = new Map<string, Link>()
  #entries = 0
  #bytes = 0

  private constructor(deps: Deps, staging: Staging) {
    this.#deps = deps
    this.#staging = staging
  }

  static async begin(deps: Deps): Promise<Unpacking> {
    return new Unpacking(deps, await deps.files.stage(deps.destination))
  }

  /** Counts an entry as skipped that is not a regular file or directory, or cannot be read. */
  skip(entry: Entry): void {
    this.#countEntry()
    this.#skip(entry)
  }

  async folder(entry: Entry): Promise<void> {
    const path = this.#findPath(entry)
    if (!path) return this.#skip(entry)
    await this.#waitForOverlaps(path)
    if (!(await this.#staging.folder(path))) return this.#skip(entry)
    if (isTime(entry.modified) && path.length > 0 && this.#folderTimes.length < maxFolderTimes) {
      this.#folderTimes.push({ path, modified: entry.modified })
    }
    this.#deps.progress.entries++
  }

  /** Starts a file; undefined when it cannot be placed, which is reported. Several may be in progress. */
  async file(entry: Entry): Promise<UnpackedFile | undefined> {
    const path = this.#findPath(entry)
    if (!path || path.length === 0) {
      this.#skip(entry)
      return undefined
    }
    const { promise: done, resolve: finish } = Promise.withResolvers<void>()
    const work = { path, done }
    const isFree = this.#waitForOverlaps(path)
    this.#inProgress.add(work)
    const end = () => {
      this.#inProgress.delete(work)
      finish()
    }
    const begun = await withRollback(
      isFree.then(() => this.#begin(entry, path, end)),
      end,
    )
    if (begun) return begun
    this.#skip(entry)
    end()
    return undefined
  }

  /** Adds a symbolic link, which is skipped unless it stays inside the destination. */
  async link(entry: Entry, target: string): Promise<void> {
    const path = this.#findPath(entry)
    if (!path || path.length === 0 || !staysInside(target, path.length - 1)) return this.#skip(entry)
    const folder = path.slice(0, -1)
    if (this.#links.size >= maxLinks || (await this.#isKept(path))) return this.#skip(entry)
    if (!(await this.#staging.folder(folder))) return this.#skip(entry)
    this.#links.set(path.join('/'), { entry, path, target })
  }

  /** Adds a hard link to a file of the archive that came before. Skipped if there is none. */
  async hardLink(entry: Entry, target: string): Promise<void> {
    const path = this.#findPath(entry)
    const source = entryPath(target)
    if (!path || !source || (await this.#isKept(path))) return this.#skip(entry)
    await this.#waitForOverlaps(source)
    await this.#waitForOverlaps(path)
    if (!(await this.#staging.hardLink(path, source))) return this.#skip(entry)
    this.#links.delete(path.join('/'))
    this.#deps.progress.entries++
  }

  /** Merges all entries into the destination. */
  async finish(): Promise<void> {
    const { onConflict, progress, signal, destination } = this.#deps
    // Writing to the directories has changed their times.
    for (const { path, modified } of this.#folderTimes) await this.#staging.date(path, modified)
    const skip = (path: SafePath) => progress.skip(path.slice(destination.length).join('/'))
    await this.#staging.merge({ onConflict, signal, skip })
    for (const { entry, path, target } of this.#links.values()) {
      const link = { target, path: listedPathBelow(destination, path) }
      if (await this.#deps.files.placeLink(link, onConflict)) progress.entries++
      else this.#skip(entry)
    }
  }

  /** Removes what was not merged. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#staging[Symbol.asyncDispose]()
  }

  #skip({ name, shownName = '\ufffd' }: Entry): void {
    this.#deps.progress.skip(printableName(name ?? shownName))
  }

  #findPath(entry: Entry): SafePath | undefined {
    this.#countEntry()
    const path = entry.name === undefined ? undefined : entryPath(entry.name)
    if (path && path.length > this.#deps.limits.depth) throw archiveTooLarge('the directory depth')
    return path
  }

  #countEntry(): void {
    this.#deps.signal.throwIfAborted()
    if (++this.#entries > this.#deps.limits.entries) throw archiveTooLarge('the number of entries')
  }

  #countBytes(count: number): void {
    const { progress, signal, packedBytes, limits: max } = this.#deps
    signal.throwIfAborted()
    progress.bytes += count
    this.#bytes += count
    if (this.#bytes > max.bytes) throw archiveTooLarge('the size of its content')
    if (this.#bytes > max.ratioFromBytes && this.#bytes > packedBytes * max.ratio) {
      throw archiveTooLarge('the compression ratio')
    }
  }

  /** Waits for files in progress with this name, or below or above it. */
  async #waitForOverlaps(path: SafePath): Promise<void> {
    const before = [...this.#inProgress].filter((work) => isBelow(work.path, path) || isBelow(path, work.path))
    await Promise.all(before.map(({ done }) => done))
  }

  async #begin(entry: Entry, path: SafePath, end: () => void): Promise<UnpackedFile | undefined> {
    // Checked before a large file is extracted rather than after.
    if (await this.#isKept(path)) return undefined
    this.#links.delete(path.join('/'))
    const file = await this.#staging.file(path, ((entry.mode || 0o644) & 0o777) | 0o600)
    if (!file) return undefined
    return {
      write: async (bytes) => {
        this.#countBytes(bytes.length)
        await file.write(bytes)
      },
      commit: async () => {
        await file.finish(isTime(entry.modified) ? entry.modified : undefined)
        this.#deps.progress.entries++
      },
      async [Symbol.asyncDispose]() {
        await file[Symbol.asyncDispose]().finally(end)
      },
    }
  }

  /** Whether an existing file is kept. Throws ErrFileExists with `refuse`. */
  async #isKept(path: SafePath): Promise<boolean> {
    const { onConflict, destination } = this.#deps
    if (onConflict !== 'refuse' && onConflict !== 'skip') return false
    if (!(await this.#exists(path))) return false
    if (onConflict === 'skip') return true
    throw new Refusal('ErrFileExists', { path: formatPath(listedPathBelow(destination, path)) })
  }

  async #exists(path: SafePath): Promise<boolean> {
    const { files, destination } = this.#deps
    const at = (names: readonly string[]) => listedPathBelow(destination, names)
    const [top = ''] = path
    const mayExist = this.#mayExist.get(top) ?? (await files.exists(at([top])))
    this.#mayExist.set(top, mayExist)
    if (!mayExist) return false
    const there = await files.lstat(at(path))
    return there?.kind === 'file' || there?.kind === 'link'
  }
}

const isTime = (time: Date | undefined): time is Date => time !== undefined && !Number.isNaN(time.getTime())
