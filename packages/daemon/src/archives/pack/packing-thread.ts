import { untilUnlocked, withLock } from '@innkeeper/contract/jobs/mutex'
import type { SafePath } from '../../files/path/safe-path.ts'
import type { Progress } from '../../files/tree/progress.ts'
import { PooledWorker } from '../../workers/pooled-worker.ts'
import { deserializeError, type SerializedError } from '../../workers/serialized-error.ts'
import type { ArchiveKind } from '../formats/archive-kinds.ts'
import type { PackRequest } from './packing.ts'

/** Number of chunks of an archive that may be in transit to the writer. */
export const chunksInTransit = 4

/** Requests to the thread. */
export type PackingRequest =
  | {
      readonly type: 'pack'
      readonly id: number
      /** The root of the paths. Opened again: a directory handle cannot be sent. */
      readonly directory: string
      /** Patterns of files that are kept from the user. */
      readonly denied: readonly string[] | undefined
      readonly paths: readonly SafePath[]
      readonly kind: ArchiveKind
      readonly isCounted: boolean
    }
  /** Returns the memory of a chunk that was written. */
  | { readonly type: 'taken'; readonly id: number; readonly memory: ArrayBuffer }
  | { readonly type: 'cancel'; readonly id: number }

/** Messages of the thread. */
export type PackingMessage =
  /** The next bytes of the archive: the beginning of the memory. */
  | { readonly type: 'bytes'; readonly id: number; readonly memory: ArrayBuffer; readonly length: number }
  | { readonly type: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly type: 'end'; readonly id: number; readonly error?: SerializedError }

interface Packing {
  readonly order: PackRequest
  readonly done: PromiseWithResolvers<void>
  failure?: { readonly cause: unknown }
}

/**
 * Packs archives in one worker thread. Walking and opening thousands of files, and the garbage of that, would delay the
 * consoles of all servers in the main thread.
 */
class PackingThread {
  #thread: PooledWorker<PackingRequest, PackingMessage> | undefined
  readonly #packings = new Map<number, Packing>()
  #count = 0

  /** Rejects with the error of `write` or of the thread. */
  async pack(order: PackRequest): Promise<void> {
    const { files, paths, kind, isCounted = false, signal } = order
    signal.throwIfAborted()
    const id = this.#count++
    const packing: Packing = { order, done: Promise.withResolvers() }
    this.#packings.set(id, packing)
    this.#thread ??= this.#begin()
    const cancel = () => this.#thread?.post({ type: 'cancel', id })
    signal.addEventListener('abort', cancel)
    const denied = files.denied?.patterns
    this.#thread.post({ type: 'pack', id, directory: files.directory, denied, paths, kind, isCounted })
    await packing.done.promise.finally(() => {
      signal.removeEventListener('abort', cancel)
      this.#packings.delete(id)
      if (this.#packings.size === 0) this.#thread?.idle()
    })
  }

  #begin(): PooledWorker<PackingRequest, PackingMessage> {
    const listener = {
      onMessage: (message: PackingMessage) => this.#onMessage(message),
      onEnd: (error: unknown) => {
        this.#thread = undefined
        // The end is only reported after the last write.
        for (const packing of this.#packings.values())
          void untilUnlocked(packing).then(() => packing.done.reject(error))
      },
    }
    return new PooledWorker(new URL('./packing-worker.ts', import.meta.url), listener, {
      heap: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 6 },
    })
  }

  #onMessage(message: PackingMessage): void {
    const packing = this.#packings.get(message.id)
    if (!packing) return
    switch (message.type) {
      case 'bytes':
        // In order.
        void withLock([packing], () => this.#write(packing, message))
        return
      case 'progress':
        packing.order.progress.copyFrom(message.progress)
        return
      case 'end':
        void untilUnlocked(packing).then(() => {
          const { failure, done } = packing
          if (failure) done.reject(failure.cause)
          else if (message.error) done.reject(deserializeError(message.error))
          else done.resolve()
        })
    }
  }

  async #write(packing: Packing, { id, memory, length }: PackingMessage & { type: 'bytes' }): Promise<void> {
    const { order, failure } = packing
    if (!failure && !order.signal.aborted) {
      await order.write(new Uint8Array(memory, 0, length)).catch((cause: unknown) => {
        packing.failure = { cause }
        this.#thread?.post({ type: 'cancel', id })
      })
    }
    this.#thread?.post({ type: 'taken', id, memory }, [memory])
  }
}

export const packingThread = new PackingThread()
