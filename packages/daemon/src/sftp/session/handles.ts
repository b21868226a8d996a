import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { SafePath } from '../../files/path/safe-path.ts'
import type { FileInfo } from '../../files/read/file-info.ts'
import type { FormerContent } from '../../files/tree/former-content.ts'
import type { HandleCount } from './handle-limiter.ts'

export const maxOpenHandles = 256

/** A file opened by a client. */
export interface OpenFile {
  readonly type: 'file'
  readonly file: FileHandle
  readonly path: SafePath
  readonly mayRead: boolean
  readonly mayWrite: boolean
  /** All writes go to the end. */
  readonly isAppending: boolean
  /** Its content is kept before the first change below this size; 0 once it is kept, and for changes in parts. */
  keptBelow: number
  /** What it had before it was overwritten. */
  former: FormerContent | undefined
  /** Whether its change is in the activity. */
  isRecorded: boolean
  /** Why nothing more can be written: its former content was put back. */
  failure: unknown
}

/** A directory listing opened by a client. */
export interface OpenFolder {
  readonly type: 'folder'
  readonly batches: AsyncIterator<readonly FileInfo[]>
  /** The next batch, read while the client processes the previous one. */
  next: Promise<IteratorResult<readonly FileInfo[]>> | undefined
  /** Read and not sent yet. */
  waiting: readonly FileInfo[]
}

export type OpenHandle = OpenFile | OpenFolder

/** Open files and directories of a session, by handle. */
export class Handles implements AsyncDisposable {
  readonly #open = new Map<number, OpenHandle>()
  /** With those of other sessions. */
  readonly #count: HandleCount
  #last = 0

  constructor(count: HandleCount) {
    this.#count = count
  }

  /** Throws a refusal at the limit of handles. */
  assertCapacity(): void {
    const max = this.#open.size >= maxOpenHandles ? maxOpenHandles : this.#count.reachedLimit
    if (max !== undefined) throw new Refusal('ErrTooMany', { max })
  }

  add(open: OpenHandle): number {
    this.#last = (this.#last + 1) % 0x1_0000_0000
    while (this.#open.has(this.#last)) this.#last = (this.#last + 1) % 0x1_0000_0000
    this.#open.set(this.#last, open)
    this.#count.add()
    return this.#last
  }

  find(handle: Buffer): OpenHandle | undefined {
    return handle.length === 4 ? this.#open.get(handle.readUInt32BE()) : undefined
  }

  file(handle: Buffer): OpenFile | undefined {
    const found = this.find(handle)
    return found?.type === 'file' ? found : undefined
  }

  /** Whether the session has opened this file. */
  async isOpen({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): Promise<boolean> {
    const files = [...this.#open.values()].flatMap((open) => (open.type === 'file' ? [open.file] : []))
    const stats = await Promise.all(files.map((file) => file.stat({ bigint: true })))
    return stats.some((one) => one.ino === ino && one.dev === dev)
  }

  /** Returns false for an unknown handle. */
  async close(handle: Buffer): Promise<boolean> {
    const found = this.find(handle)
    if (!found) return false
    this.#open.delete(handle.readUInt32BE())
    await this.#close(found)
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map((open) => this.#close(open)))
  }

  async #close(open: OpenHandle): Promise<void> {
    try {
      await close(open)
    } finally {
      this.#count.remove()
    }
  }
}

async function close(open: OpenHandle): Promise<void> {
  if (open.type === 'folder') return void (await open.batches.return?.())
  await open.file.close()
  await open.former?.[Symbol.asyncDispose]()
}
