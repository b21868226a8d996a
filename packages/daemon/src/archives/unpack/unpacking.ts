import type { OnExtracting } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { formatPath, isBelow, listedPathBelow, type SafePath } from '../../files/path/safe-path.ts'
import type { RootFs } from '../../files/root.ts'
import type { Progress } from '../../files/tree/progress.ts'
import type { Staging } from '../../files/write/staging.ts'
import { archiveTooLarge } from '../archive-errors.ts'
import { entryPath, printableName } from './entry-path.ts'

/** What an archive says of one thing in it. */
export interface Entry {
  /** `undefined` when it is no text. */
  readonly name: string | undefined
  readonly kind: 'file' | 'folder' | 'other'
  readonly mode?: number | undefined
  readonly modified?: Date | undefined
}

export interface ArchiveLimits {
  readonly bytes: number
  readonly entries: number
  readonly depth: number
  /** How many times the size of the archive, once more than `ratioFromBytes` are written. */
  readonly ratio: number
  readonly ratioFromBytes: number
  readonly ms: number
}

export const archiveLimits: ArchiveLimits = {
  bytes: limits.archiveBytes,
  entries: limits.archiveEntries,
  depth: limits.archiveDepth,
  ratio: limits.archiveRatio,
  ratioFromBytes: limits.archiveRatioFromBytes,
  ms: limits.archiveMs,
}

interface Deps {
  readonly files: RootFs
  readonly destination: SafePath
  readonly existing: OnExtracting
  readonly progress: Progress
  readonly signal: AbortSignal
  /** The size of the archive itself. */
  readonly packedBytes: number
  readonly limits: ArchiveLimits
}

/** A file of the archive on its way to the disk; without `commit` all that was unpacked is in vain. */
export interface UnpackedFile extends AsyncDisposable {
  /** Takes the bytes, and their memory. */
  write(bytes: Uint8Array): Promise<void>
  commit(): Promise<void>
}

/** Folders whose time is remembered until all is in them. */
const maxFolderTimes = 100_000

/**
 * Puts what an archive holds into a tree that nobody sees, and the tree to its place when all of it is there. Nothing is
 * believed: names are judged here, and bytes are counted as they come. What has no place is reported and left out.
 */
export class Unpacking implements AsyncDisposable {
  readonly #deps: Deps
  readonly #staging: Staging
  readonly #folderTimes: { readonly path: SafePath; readonly modified: Date }[] = []
  readonly #inProgress = new Set<{ readonly path: SafePath; readonly done: Promise<void> }>()
  /** For names at the top: whether something has them already, so that names below may be taken too. */
  readonly #mayExist = new Map<string, boolean>()
  #entries = 0
  #bytes = 0

  private constructor(deps: Deps, staging: Staging) {
    this.#deps = deps
    this.#staging = staging
  }

  static async begin(deps: Deps): Promise<Unpacking> {
    return new Unpacking(deps, await deps.files.stage(deps.destination))
  }

  /** Counts an entry that is no regular file or folder, or cannot be given, as left out. */
  skip(entry: Entry): void {
    this.#countEntry()
    this.#skip(entry)
  }

  async folder(entry: Entry): Promise<void> {
    const path = this.#pathOf(entry)
    if (!path) return this.#skip(entry)
    await this.#waitForOverlaps(path)
    if (!(await this.#staging.folder(path))) return this.#skip(entry)
    if (isTime(entry.modified) && path.length > 0 && this.#folderTimes.length < maxFolderTimes) {
      this.#folderTimes.push({ path, modified: entry.modified })
    }
    this.#deps.progress.entries++
  }

  /** Begins a file; `undefined` when it has no place, which is reported. Several may be under way at a time. */
  async file(entry: Entry): Promise<UnpackedFile | undefined> {
    const path = this.#pathOf(entry)
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
    try {
      await isFree
      const begun = await this.#begin(entry, path, end)
      if (begun) return begun
      this.#skip(entry)
      end()
      return undefined
    } catch (error) {
      end()
      throw error
    }
  }

  /** Brings all to its place. */
  async finish(): Promise<void> {
    const { existing, progress, signal, destination } = this.#deps
    // What was written into them since has changed their times.
    for (const { path, modified } of this.#folderTimes) await this.#staging.date(path, modified)
    const skip = (path: SafePath) => progress.skip(path.slice(destination.length).join('/'))
    await this.#staging.merge({ existing, signal, skip })
  }

  /** Removes what did not come to its place. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#staging[Symbol.asyncDispose]()
  }

  #skip({ name }: Entry): void {
    this.#deps.progress.skip(name === undefined ? '\ufffd' : printableName(name))
  }

  #pathOf(entry: Entry): SafePath | undefined {
    this.#countEntry()
    const path = entry.name === undefined ? undefined : entryPath(entry.name)
    if (path && path.length > this.#deps.limits.depth) throw archiveTooLarge('the depth of folders')
    return path
  }

  #countEntry(): void {
    this.#deps.signal.throwIfAborted()
    if (++this.#entries > this.#deps.limits.entries) throw archiveTooLarge('the number of entries')
  }

  #countBytes(count: number): void {
    const { progress, signal, packedBytes, limits: most } = this.#deps
    signal.throwIfAborted()
    progress.bytes += count
    this.#bytes += count
    if (this.#bytes > most.bytes) throw archiveTooLarge('the size of its content')
    if (this.#bytes > most.ratioFromBytes && this.#bytes > packedBytes * most.ratio) {
      throw archiveTooLarge('how much it may grow')
    }
  }

  /** Waits for files under way that have this name, or are below or above it. */
  async #waitForOverlaps(path: SafePath): Promise<void> {
    const before = [...this.#inProgress].filter((work) => isBelow(work.path, path) || isBelow(path, work.path))
    await Promise.all(before.map(({ done }) => done))
  }

  async #begin(entry: Entry, path: SafePath, end: () => void): Promise<UnpackedFile | undefined> {
    const { existing, destination } = this.#deps
    // Known before a large file is unpacked, rather than after it.
    if ((existing === 'refuse' || existing === 'skip') && (await this.#exists(path))) {
      if (existing === 'skip') return undefined
      throw new Refusal('ErrFileExists', { path: formatPath(listedPathBelow(destination, path)) })
    }
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
        try {
          await file[Symbol.asyncDispose]()
        } finally {
          end()
        }
      },
    }
  }

  async #exists(path: SafePath): Promise<boolean> {
    const { files, destination } = this.#deps
    const at = (names: readonly string[]) => listedPathBelow(destination, names)
    const [top = ''] = path
    const mayMeet = this.#mayExist.get(top) ?? (await files.exists(at([top])))
    this.#mayExist.set(top, mayMeet)
    if (!mayMeet) return false
    const there = await files.lstat(at(path))
    return there?.kind === 'file' || there?.kind === 'link'
  }
}

const isTime = (time: Date | undefined): time is Date => time !== undefined && !Number.isNaN(time.getTime())
