import { withLock } from '@innkeeper/contract/jobs/mutex'
import type { Logger } from 'pino'
import type { DiscardedEntry, DiscardSink, KeepMethod } from '../files/path/discard-sink.ts'
import type { SafePath } from '../files/path/safe-path.ts'
import { moveOrLinkInto } from '../files/tree/move-or-link.ts'
import type { OpenEntry, ServerTrash } from './server-trash.ts'
import type { TrashRecord } from './trash-record.ts'

/** Who discards files, and why. */
export interface DiscardContext {
  /** Default: `deleted` or `overwritten`, depending on what happens to a file. */
  readonly reason?: TrashRecord['reason']
  readonly author?: string | undefined
  /** Whether what is discarded is kept. Moves are followed either way. Default: true. */
  readonly isKept?: boolean
}

/** A session of SFTP has no end of an operation: entries end when nothing is added for this long. */
const idleMs = 10_000

/**
 * Moves what one operation deletes or replaces to the trash, as one entry for each reason; a path that is discarded again
 * begins another entry.
 */
export class TrashSink implements DiscardSink {
  readonly #trash: ServerTrash
  readonly #context: DiscardContext
  readonly #log: Logger
  readonly #open = new Map<TrashRecord['reason'], OpenEntry>()
  readonly #ids: string[] = []
  #isClosed = false

  constructor(trash: ServerTrash, context: DiscardContext, log: Logger) {
    this.#trash = trash
    this.#context = context
    this.#log = log
  }

  /** The entries that it created. */
  get ids(): readonly string[] {
    return this.#ids
  }

  async keep(entry: DiscardedEntry, method: KeepMethod, reason: 'deleted' | 'overwritten'): Promise<boolean> {
    try {
      return await withLock([this], () => this.#keep(entry, method, this.#context.reason ?? reason))
    } catch (err) {
      // For example a full disk: deleting must be possible.
      this.#log.warn({ err }, 'files could not be moved to the trash')
      return false
    }
  }

  async release(path: SafePath, inode: bigint): Promise<void> {
    for (const id of [...this.#ids]) {
      await this.#trash.takeOut(id, path, inode).catch((err: unknown) => {
        this.#log.warn({ err }, 'former content that need not be kept stays in the trash')
      })
    }
  }

  async moved(from: SafePath, to: SafePath): Promise<void> {
    if (!this.#trash.isAvailable) return
    await this.#trash.follow(from, to).catch((err: unknown) => {
      this.#log.warn({ err }, 'the versions of a moved file cannot follow it')
    })
  }

  async #keep(discarded: DiscardedEntry, method: KeepMethod, reason: TrashRecord['reason']): Promise<boolean> {
    if (this.#isClosed || !this.#trash.isAvailable || this.#context.isKept === false) return false
    for (let isRetry = false; ; isRetry = true) {
      const entry = await this.#entryFor(reason, discarded, isRetry)
      const outcome = await entry.add(discarded, (top) => moveOrLinkInto(top, discarded, method))
      if (outcome === 'done') return true
      if (outcome === 'notEmpty') return false
      // Taken: an entry has each path once. Ended: it was restored or deleted meanwhile.
      await this.#end(reason)
      if (outcome === 'unsupported') this.#trash.disable()
      if (outcome === 'unsupported' || isRetry) return false
    }
  }

  async #entryFor(reason: TrashRecord['reason'], discarded: DiscardedEntry, isRetry: boolean): Promise<OpenEntry> {
    const existing = this.#open.get(reason)
    if (existing && !isRetry && performance.now() - existing.usedAt < idleMs) return existing
    await this.#end(reason)
    const entry = await this.#trash.begin({ reason, author: this.#context.author }, discarded)
    this.#open.set(reason, entry)
    this.#ids.push(entry.id)
    return entry
  }

  async #end(reason: TrashRecord['reason']): Promise<void> {
    const entry = this.#open.get(reason)
    this.#open.delete(reason)
    if (entry && !(await entry.end())) this.#ids.splice(this.#ids.indexOf(entry.id), 1)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await withLock([this], async () => {
      this.#isClosed = true
      for (const reason of [...this.#open.keys()])
        await this.#end(reason).catch((err: unknown) => this.#log.warn({ err }, 'a trash record was not written'))
    })
  }
}
