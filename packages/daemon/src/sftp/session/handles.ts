import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { FileInfo } from '../../files/read/file-info.ts'
import type { OpenedFile } from '../../files/read/opened-file.ts'
import type { MaybePromise } from '../../files/read/sync-fast-path.ts'

/** A file opened by a client. */
export interface OpenFile {
  readonly is: 'file'
  readonly file: OpenedFile
  readonly mayRead: boolean
  readonly mayWrite: boolean
}

/** A directory listing opened by a client. */
export interface OpenFolder {
  readonly is: 'folder'
  readonly batches: AsyncIterator<readonly FileInfo[]>
  /** Read and not sent yet. */
  waiting: readonly FileInfo[]
}

export type OpenHandle = OpenFile | OpenFolder

/** Open files and directories of a session, by handle. */
export class Handles implements AsyncDisposable {
  readonly #open = new Map<number, OpenHandle>()
  #last = 0

  /** Throws a refusal at the limit of handles. */
  assertCapacity(): void {
    if (this.#open.size >= limits.sftpHandles) throw new Refusal('ErrTooMany', { max: limits.sftpHandles })
  }

  add(open: OpenHandle): number {
    this.#last = (this.#last + 1) % 0x1_0000_0000
    while (this.#open.has(this.#last)) this.#last = (this.#last + 1) % 0x1_0000_0000
    this.#open.set(this.#last, open)
    return this.#last
  }

  find(handle: Buffer): OpenHandle | undefined {
    return handle.length === 4 ? this.#open.get(handle.readUInt32BE()) : undefined
  }

  file(handle: Buffer): OpenFile | undefined {
    const found = this.find(handle)
    return found?.is === 'file' ? found : undefined
  }

  /** undefined for an unknown handle. */
  close(handle: Buffer): { readonly closed: MaybePromise<unknown> } | undefined {
    const found = this.find(handle)
    if (!found) return undefined
    this.#open.delete(handle.readUInt32BE())
    return { closed: closed(found) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map(closed))
  }
}

function closed(open: OpenHandle): MaybePromise<unknown> {
  return open.is === 'file' ? open.file.close() : open.batches.return?.()
}
