import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, readdir, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import type { ConflictPolicy } from '@innkeeper/contract/servers/files'
import type { TrashEntry } from '@innkeeper/contract/servers/trash'
import type { Logger } from 'pino'
import { ignoreRefusals } from '../errors/refusals.ts'
import { DirHandle } from '../files/path/dir-handle.ts'
import type { DiscardedEntry } from '../files/path/discard-sink.ts'
import { formatPath, getName, parsePath, type SafePath } from '../files/path/safe-path.ts'
import { lstatOrUndefined } from '../files/path/tree-root.ts'
import type { VersionedInfo } from '../files/read/file-info.ts'
import { RootFs } from '../files/root.ts'
import type { MoveOutcome } from '../files/tree/move-or-link.ts'
import { ifExists } from '../fs/if-exists.ts'
import { dayMs, expiredEntries, missingBytes, type TrashLimits } from './expired-entries.ts'
import { type FileVersions, fileVersions, findAuthor, hasEntryFor } from './file-versions.ts'
import { MoveHistory } from './move-history.ts'
import { recoverEntries } from './recover-entries.ts'
import { deletedSuffix, removeRecord, type TrashRecord, writeRecord } from './trash-record.ts'

interface Deps {
  readonly directory: string
  /** Directory of the server's files. */
  readonly filesDirectory: string
  readonly limits: TrashLimits
  readonly log: Logger
}

interface Entry {
  readonly id: string
  record: TrashRecord
  /** `open`: an operation may add files. `busy`: it is being restored or deleted. */
  state: 'open' | 'kept' | 'busy'
}

/** An entry to which an operation adds files. */
export interface OpenEntry {
  readonly id: string
  /** `performance.now()` of the last addition. */
  readonly usedAt: number
  /** Adds a file with `move`. Returns `ended` if the entry has been restored or deleted. */
  add(discarded: DiscardedEntry, move: (top: DirHandle) => Promise<MoveOutcome>): Promise<MoveOutcome | 'ended'>
  /** Ends the additions. Returns false, and removes the entry, when there were none. */
  end(): Promise<boolean>
}

/**
 * The trash of one server: `<id>.json` is the record of an entry, and `<id>` a directory with its files below their
 * former paths.
 */
export class ServerTrash {
  readonly #deps: Deps
  readonly #moves: MoveHistory
  readonly #closing = new AbortController()
  #entries: Promise<Map<string, Entry>> | undefined
  /** Measurements and removals in the background. */
  readonly #working = new Set<Promise<void>>()
  #isAvailable: boolean

  constructor(deps: Deps) {
    this.#deps = deps
    this.#moves = new MoveHistory(deps.directory)
    this.#isAvailable = deps.limits.days > 0
  }

  /** Whether it is enabled, and on the same file system as the server's files. */
  get isAvailable(): boolean {
    return this.#isAvailable
  }

  disable(): void {
    this.#isAvailable = false
    this.#deps.log.warn('Deleted files are not kept: the files of this server and the trash are on different disks')
  }

  /** Newest first. */
  async list(): Promise<TrashEntry[]> {
    const keptMs = this.#deps.limits.days * dayMs
    const entries = [...(await this.#load()).values()].filter(({ state }) => state !== 'busy')
    const shown = entries.map(({ id, record: { savedBy: _, nextModifiedNs: __, ...record } }) => {
      return { ...record, id, expiresAt: new Date(Date.parse(record.discardedAt) + keptMs).toISOString() }
    })
    return shown.toSorted((a, b) => b.discardedAt.localeCompare(a.discardedAt))
  }

  /** The bytes of all entries, also of folders that were just deleted and are not measured yet. */
  async usedBytes(signal: AbortSignal): Promise<number> {
    let bytes = 0
    for (const { id, record } of (await this.#load()).values())
      bytes += record.bytes ?? (await this.#readSize(id, signal))
    return bytes
  }

  /** The former contents of a file, newest first, and the user who saved the current one. */
  async versions(path: SafePath, current: VersionedInfo | undefined): Promise<FileVersions> {
    const entries = [...(await this.#load()).values()].filter(({ state }) => state !== 'busy')
    const paths = await this.#moves.formerPaths(formatPath(path))
    return await fileVersions(this.#deps.directory, entries, { paths, current })
  }

  /** Remembers that a file or folder was moved, if it has former contents. */
  async follow(from: SafePath, to: SafePath): Promise<void> {
    const text = formatPath(from)
    if (await this.#hasFormerContents(text)) await this.#moves.add(text, formatPath(to))
  }

  async #hasFormerContents(path: string): Promise<boolean> {
    const entries = [...(await this.#load()).values()]
    if (entries.length === 0) return false
    for (const former of await this.#moves.formerPaths(path))
      for (const entry of entries) if (await hasEntryFor(this.#deps.directory, entry, former)) return true
    return await this.#moves.hasMovedInto(path)
  }

  /** Opens a file of an entry, which `files` of the server may have. The caller must close it. */
  async open(id: string, path: SafePath, files: RootFs): Promise<FileHandle> {
    const entry = (await this.#load()).get(id)
    const top = entry && entry.state !== 'busy' && (await ifExists(RootFs.open(join(this.#deps.directory, id))))
    if (!top) throw new Refusal('ErrNotFound')
    await using _ = top
    return await files.openFrom(top, path)
  }

  /** Starts an entry. Its record is durable before a file is added. */
  async begin(
    { reason, author }: { reason: TrashRecord['reason']; author: string | undefined },
    first: DiscardedEntry,
  ): Promise<OpenEntry> {
    const { directory } = this.#deps
    const entries = await this.#load()
    const id = randomBytes(8).toString('hex')
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const path = formatPath(first.path)
    const savedBy = findAuthor(entries.values(), await this.#moves.formerPaths(path), first.stats.mtimeNs)
    const record: TrashRecord = {
      path,
      paths: 0,
      isFolder: first.stats.isDirectory(),
      bytes: 0,
      reason,
      ...(author !== undefined && { author }),
      ...(savedBy !== undefined && { savedBy }),
      ...(first.nextModifiedNs !== undefined && { nextModifiedNs: String(first.nextModifiedNs) }),
      discardedAt: new Date().toISOString(),
    }
    await mkdir(join(directory, id), { mode: 0o700 })
    // The files are measured when the operation ends, or after a crash.
    await writeRecord(directory, id, { ...withoutBytes(record), paths: 1 }, true)
    const entry: Entry = { id, record, state: 'open' }
    entries.set(id, entry)
    return this.#openEntry(entry, await DirHandle.open(join(directory, id)))
  }

  #openEntry(entry: Entry, top: DirHandle): OpenEntry {
    let usedAt = performance.now()
    let hasUncounted = false
    return {
      id: entry.id,
      get usedAt() {
        return usedAt
      },
      add: async ({ stats }, move) =>
        await withLock([entry], async () => {
          if (entry.state !== 'open') return 'ended'
          const outcome = await move(top)
          if (outcome !== 'done') return outcome
          usedAt = performance.now()
          hasUncounted ||= stats.isDirectory()
          const size = stats.isFile() ? Number(stats.size) : 0
          const { paths, bytes = 0 } = entry.record
          entry.record = { ...entry.record, paths: paths + 1, bytes: bytes + size }
          return outcome
        }),
      end: async () => {
        top.close()
        if (entry.state !== 'open') return true
        if (entry.record.paths === 0) {
          await this.#delete(entry)
          return false
        }
        entry.state = 'kept'
        if (hasUncounted) entry.record = withoutBytes(entry.record)
        await writeRecord(this.#deps.directory, entry.id, entry.record, false)
        this.#inBackground(async () => {
          if (hasUncounted) await this.#measure(entry)
          await this.expire()
        })
        return true
      },
    }
  }

  /** Moves everything of an entry back. `files` are those of the server. */
  async restore(id: string, files: RootFs, onConflict: ConflictPolicy, signal: AbortSignal): Promise<void> {
    const entry = await this.#claim(id)
    try {
      const skipped: string[] = []
      const skip = (path: Parameters<typeof formatPath>[0]) => void skipped.push(formatPath(path))
      await using trash = await RootFs.open(this.#deps.directory)
      await files.moveIn(trash, parsePath(id), { onConflict, skip, signal, isOnlyCopy: true })
      if (skipped[0] !== undefined) throw new Refusal('ErrFileExists', { path: skipped[0] })
    } catch (error) {
      // What was not moved back can be restored later.
      entry.state = 'kept'
      throw error
    }
    await this.#delete(entry)
  }

  /** Removes a file from an entry. */
  async takeOut(id: string, path: SafePath, inode: bigint): Promise<void> {
    const entry = (await this.#load()).get(id)
    if (!entry) return
    const isLast = await withLock([entry], async () => {
      const { paths, bytes = 0, path: first } = entry.record
      // After a restart, an entry is recognized by its first file.
      if (entry.state === 'busy' || (paths > 1 && first === formatPath(path))) return false
      await using folder = await openBelow(join(this.#deps.directory, id), path.slice(0, -1))
      const stats = await lstatOrUndefined(folder, getName(path))
      if (stats?.ino !== inode) return false
      await unlink(folder.pathTo(getName(path)))
      entry.record = { ...entry.record, paths: paths - 1, bytes: Math.max(0, bytes - Number(stats.size)) }
      if (entry.state === 'kept' && paths > 1) await writeRecord(this.#deps.directory, id, entry.record, false)
      if (entry.state === 'kept' && paths === 1) entry.state = 'busy'
      return entry.state === 'busy'
    })
    if (isLast) await this.#delete(entry)
  }

  /** Deletes an entry permanently. */
  async remove(id: string): Promise<void> {
    await this.#delete(await this.#claim(id))
  }

  /** Deletes all entries permanently, except those that are being restored. */
  async empty(): Promise<void> {
    for (const id of [...(await this.#load()).keys()]) {
      const entry = await this.#claim(id).catch(ignoreRefusals('ErrNotFound'))
      if (entry) await this.#delete(entry)
    }
  }

  /** Deletes entries beyond the limits. */
  async expire(): Promise<void> {
    const entries = [...(await this.#load()).values()].filter(({ state }) => state === 'kept')
    if (entries.length === 0) return
    await using trash = await RootFs.open(this.#deps.directory)
    const { blocks, blockSize, available } = await trash.space()
    const missing = missingBytes({ total: blocks * blockSize, free: available * blockSize })
    const kept = entries.map((entry) => ({ ...entry.record, entry }))
    for (const { entry } of expiredEntries(kept, this.#deps.limits, { now: Date.now(), missingBytes: missing })) {
      if (entry.state !== 'kept') continue
      entry.state = 'busy'
      await this.#delete(entry)
    }
  }

  /** Waits for what runs in the background. */
  async close(): Promise<void> {
    this.#isAvailable = false
    this.#closing.abort()
    await Promise.all(this.#working)
  }

  async #load(): Promise<Map<string, Entry>> {
    this.#entries ??= this.#read().catch((error: unknown) => {
      this.#entries = undefined
      throw error
    })
    return await this.#entries
  }

  async #read(): Promise<Map<string, Entry>> {
    const { directory } = this.#deps
    const names = await ifExists(readdir(directory))
    const records = names ? await recoverEntries({ ...this.#deps, names }) : new Map<string, TrashRecord>()
    const entries = [...records].map(([id, record]): Entry => ({ id, record, state: 'kept' }))
    const uncounted = entries.filter(({ record }) => record.bytes === undefined)
    this.#inBackground(async () => {
      for (const entry of uncounted) await this.#measure(entry)
    })
    return new Map(entries.map((entry) => [entry.id, entry]))
  }

  /** Throws ErrNotFound. Nothing is added to the entry any more. */
  async #claim(id: string): Promise<Entry> {
    const entry = (await this.#load()).get(id)
    if (!entry) throw new Refusal('ErrNotFound')
    return await withLock([entry], async () => {
      if (entry.state === 'busy') throw new Refusal('ErrNotFound')
      entry.state = 'busy'
      return entry
    })
  }

  /** The rename decides: after it, an interrupted removal is continued when the trash is loaded. */
  async #delete({ id }: Entry): Promise<void> {
    const { directory } = this.#deps
    await ifExists(rename(join(directory, id), join(directory, id + deletedSuffix)))
    await removeRecord(directory, id)
    const entries = await this.#load()
    entries.delete(id)
    const oldest = [...entries.values()].map(({ record }) => record.discardedAt).toSorted()[0]
    await this.#moves.forgetBefore(oldest)
    await RootFs.remove(join(directory, id + deletedSuffix))
  }

  async #measure(entry: Entry): Promise<void> {
    const { directory } = this.#deps
    const bytes = await this.#readSize(entry.id, this.#closing.signal)
    await withLock([entry], async () => {
      if (entry.state !== 'kept') return
      entry.record = { ...entry.record, bytes }
      await writeRecord(directory, entry.id, entry.record, false)
    })
  }

  /** 0 for an entry that is gone. */
  async #readSize(id: string, signal: AbortSignal): Promise<number> {
    await using trash = await RootFs.open(this.#deps.directory)
    const size = await trash.measure(parsePath(id), signal).catch(ignoreRefusals('ErrFileNotFound'))
    return size?.bytes ?? 0
  }

  #inBackground(work: () => Promise<void>): void {
    const working = work().catch((err: unknown) => {
      if (!this.#closing.signal.aborted) this.#deps.log.warn({ err }, 'the trash could not be measured or cleaned')
    })
    this.#working.add(working)
    void working.finally(() => this.#working.delete(working))
  }
}

async function openBelow(directory: string, names: readonly string[]): Promise<DirHandle> {
  let folder = await DirHandle.open(directory)
  for (const name of names) {
    await using parent = folder
    folder = await parent.openDir(name)
  }
  return folder
}

function withoutBytes({ bytes: _, ...record }: TrashRecord): TrashRecord {
  return record
}
