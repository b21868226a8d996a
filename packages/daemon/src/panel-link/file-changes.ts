import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FileChange, type FileChangeType, fileChangePathMax } from '@innkeeper/contract/activity/file-changes'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { z } from 'zod/mini'
import { getCode } from '../errors/error-code.ts'
import { writeFileAtomic } from '../fs/atomic-write.ts'

/** While the panel is away for long, the oldest changes are dropped. */
export const maxPendingChanges = 5_000
/** Changes of one user on a server within a window that get entries of their own; further ones are counted. */
export const maxChangesPerWindow = 60
const windowMs = 60_000

interface Options {
  readonly dataDir: string
  readonly log: Logger
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/** Who changes files of a server, from where. */
export type ChangeAuthor = Pick<FileChange, 'userId' | 'server' | 'address'>

/** The changes of an author within a minute. */
interface Window {
  readonly author: ChangeAuthor
  readonly since: number
  /** What has its own entry, by type and path. */
  readonly recorded: Set<string>
  /** What is counted until the end of the window. */
  readonly more: Map<string, { readonly type: FileChangeType; readonly path: string | undefined; count: number }>
}

/** Changes of files over SFTP, for the audit log of the panel. They are on disk until it has recorded them. */
export class FileChanges {
  readonly #path: string
  readonly #log: Logger
  readonly #now: () => number
  readonly #windows = new Map<string, Window>()
  #pending: FileChange[] = []
  #saving: Promise<void> | undefined

  private constructor({ dataDir, log, now = Date.now }: Options) {
    this.#path = join(dataDir, 'file-changes.json')
    this.#log = log
    this.#now = now
  }

  static async open(options: Options): Promise<FileChanges> {
    const changes = new FileChanges(options)
    try {
      changes.#pending = z.array(FileChange).parse(JSON.parse(await readFile(changes.#path, 'utf8')))
    } catch (cause) {
      if (getCode(cause) !== 'ENOENT') options.log.error({ err: cause }, 'failed to load the changes of files')
    }
    return changes
  }

  /** Records a change. Repeated changes of a file, and those over the limit, are counted for a minute. */
  record(author: ChangeAuthor, type: FileChangeType, path: string): void {
    const window = this.#getWindow(author)
    const key = `${type} ${path}`
    const isKnown = window.recorded.has(key)
    if (!isKnown && window.recorded.size < maxChangesPerWindow) {
      window.recorded.add(key)
      this.#add(author, { type, path, count: 1 })
      return
    }
    const counted = isKnown ? key : type
    const more = window.more.get(counted) ?? { type, path: isKnown ? path : undefined, count: 0 }
    more.count++
    window.more.set(counted, more)
  }

  /** Whether the author has changed the content of this file within the minute. */
  hasWritten(author: ChangeAuthor, path: string): boolean {
    return this.#getWindow(author).recorded.has(`write ${path}`)
  }

  /** The oldest changes for a report. */
  due(): readonly FileChange[] {
    for (const [key, window] of this.#windows) if (this.#isOver(window)) this.#end(key, window)
    return this.#pending.slice(0, limits.fileChangesPerReport)
  }

  /** Removes the changes that the panel has recorded. */
  async accepted(recorded: readonly FileChange[]): Promise<void> {
    if (recorded.length === 0) return
    const ids = new Set(recorded.map(({ id }) => id))
    this.#pending = this.#pending.filter(({ id }) => !ids.has(id))
    await this.#save()
  }

  /** Waits until everything is on disk. */
  async close(): Promise<void> {
    for (const [key, window] of this.#windows) this.#end(key, window)
    await this.#save()
  }

  #getWindow(author: ChangeAuthor): Window {
    const key = JSON.stringify([author.userId, author.server, author.address])
    const current = this.#windows.get(key)
    if (current && !this.#isOver(current)) return current
    if (current) this.#end(key, current)
    const window: Window = { author, since: this.#now(), recorded: new Set(), more: new Map() }
    this.#windows.set(key, window)
    return window
  }

  #isOver({ since }: Window): boolean {
    const passed = this.#now() - since
    return passed >= windowMs || passed < 0
  }

  #end(key: string, { author, more }: Window): void {
    this.#windows.delete(key)
    for (const change of more.values()) this.#add(author, change)
  }

  #add(author: ChangeAuthor, change: Pick<FileChange, 'type' | 'path' | 'count'>): void {
    const path = change.path?.toWellFormed().slice(0, fileChangePathMax)
    this.#pending.push({
      id: randomUUID(),
      ...author,
      type: change.type,
      count: change.count,
      atMs: this.#now(),
      ...(path !== undefined && { path }),
    })
    if (this.#pending.length > maxPendingChanges) {
      this.#pending.shift()
      this.#log.warn('too many changes over SFTP wait for the panel: the oldest are not recorded in the activity')
    }
    void this.#save()
  }

  /** Resolves when the current changes are saved, or the failure is logged. */
  #save(): Promise<void> {
    this.#saving ??= withLock([this], async () => {
      this.#saving = undefined
      await writeFileAtomic(this.#path, JSON.stringify(this.#pending)).catch((err: unknown) =>
        this.#log.error({ err }, 'failed to save the changes of files'),
      )
    })
    return this.#saving
  }
}
