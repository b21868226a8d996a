import type { SafePath } from '../../files/path/safe-path.ts'
import type { Progress } from '../../files/tree/progress.ts'
import { PooledWorker } from '../../workers/pooled-worker.ts'
import { deserializeError, type SerializedError } from '../../workers/serialized-error.ts'
import type { ArchiveKind } from '../archive-kinds.ts'
import { blockBytes } from './block-memory.ts'
import type { PackingOrder } from './packing.ts'

/** How many blocks of an archive may be on their way from the thread to whoever writes it. */
export const slots = 4

/** What the thread is told. */
export type PackingRequest =
  | {
      readonly is: 'pack'
      readonly id: number
      /** The folder that the paths are in. It is opened anew: what holds it here cannot be sent. */
      readonly directory: string
      readonly paths: readonly SafePath[]
      readonly kind: ArchiveKind
      readonly isCounted: boolean
      /** Of `places` blocks. */
      readonly memory: SharedArrayBuffer
    }
  | { readonly is: 'taken'; readonly id: number; readonly slot: number }
  | { readonly is: 'cancel'; readonly id: number }

/** What it says. */
export type PackingMessage =
  /** The next bytes of the archive, and the block of the memory that they are in. */
  | { readonly is: 'bytes'; readonly id: number; readonly slot: number; readonly length: number }
  | { readonly is: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly is: 'end'; readonly id: number; readonly error?: SerializedError }

interface Packing {
  readonly order: PackingOrder
  readonly memory: SharedArrayBuffer
  readonly done: PromiseWithResolvers<void>
  writing: Promise<void>
  failure?: { readonly cause: unknown }
}

/**
 * Packs archives in a thread, all of them in the same. To look up and to open thousands of files, and the garbage that
 * this leaves, would hold up the consoles of all servers if the thread of the daemon did it.
 */
class PackingThread {
  #thread: PooledWorker<PackingRequest, PackingMessage> | undefined
  readonly #packings = new Map<number, Packing>()
  #count = 0

  /** Rejects with what `write` rejects with, or what goes wrong in the thread. */
  async pack(order: PackingOrder): Promise<void> {
    const { files, paths, kind, isCounted = false, signal } = order
    signal.throwIfAborted()
    const id = this.#count++
    const memory = new SharedArrayBuffer(slots * blockBytes)
    const packing: Packing = { order, memory, done: Promise.withResolvers(), writing: Promise.resolve() }
    this.#packings.set(id, packing)
    this.#thread ??= this.#begin()
    const cancel = () => this.#thread?.ask({ is: 'cancel', id })
    signal.addEventListener('abort', cancel)
    this.#thread.ask({ is: 'pack', id, directory: files.directory, paths, kind, isCounted, memory })
    try {
      await packing.done.promise
    } finally {
      signal.removeEventListener('abort', cancel)
      this.#packings.delete(id)
      if (this.#packings.size === 0) this.#thread?.idle()
    }
  }

  #begin(): PooledWorker<PackingRequest, PackingMessage> {
    const listener = {
      onMessage: (message: PackingMessage) => this.#hear(message),
      onEnd: (error: unknown) => {
        this.#thread = undefined
        // Nobody is told of the end while they are still asked to write.
        for (const { writing, done } of this.#packings.values()) void writing.then(() => done.reject(error))
      },
    }
    return new PooledWorker(new URL('./packing-worker.ts', import.meta.url), listener, {
      heap: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 6 },
    })
  }

  #hear(message: PackingMessage): void {
    const packing = this.#packings.get(message.id)
    if (!packing) return
    switch (message.is) {
      case 'bytes':
        packing.writing = packing.writing.then(() => this.#write(packing, message))
        return
      case 'progress':
        packing.order.progress.show(message.progress)
        return
      case 'end':
        void packing.writing.then(() => {
          const { failure, done } = packing
          if (failure) done.reject(failure.cause)
          else if (message.error) done.reject(deserializeError(message.error))
          else done.resolve()
        })
    }
  }

  async #write(packing: Packing, { id, slot, length }: PackingMessage & { is: 'bytes' }): Promise<void> {
    const { order, memory, failure } = packing
    try {
      if (!failure && !order.signal.aborted) await order.write(new Uint8Array(memory, slot * blockBytes, length))
    } catch (cause) {
      packing.failure = { cause }
      this.#thread?.ask({ is: 'cancel', id })
    }
    this.#thread?.ask({ is: 'taken', id, slot })
  }
}

export const packingThread = new PackingThread()
