import type { SafePath } from '../../files/path/safe-path.ts'
import type { Progress } from '../../files/tree/progress.ts'
import { KeptThread } from '../../workers/kept-thread.ts'
import { errorOf, type Problem } from '../../workers/problem.ts'
import type { ArchiveKind } from '../kinds.ts'
import { blockBytes } from './block-memory.ts'
import type { PackingOrder } from './packing.ts'

/** How many blocks of an archive may be on their way from the thread to whoever writes it. */
export const places = 4

/** What the thread is told. */
export type ToPacking =
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
  | { readonly is: 'taken'; readonly id: number; readonly place: number }
  | { readonly is: 'cancel'; readonly id: number }

/** What it says. */
export type FromPacking =
  /** The next bytes of the archive, and the block of the memory that they are in. */
  | { readonly is: 'bytes'; readonly id: number; readonly place: number; readonly length: number }
  | { readonly is: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly is: 'end'; readonly id: number; readonly problem?: Problem }

interface Packing {
  readonly order: PackingOrder
  readonly memory: SharedArrayBuffer
  readonly ended: PromiseWithResolvers<void>
  writing: Promise<void>
  failure?: { readonly cause: unknown }
}

/**
 * Packs archives in a thread, all of them in the same. To look up and to open thousands of files, and the garbage that
 * this leaves, would hold up the consoles of all servers if the thread of the daemon did it.
 */
class PackingThread {
  #thread: KeptThread<ToPacking, FromPacking> | undefined
  readonly #packings = new Map<number, Packing>()
  #count = 0

  /** Rejects with what `write` rejects with, or what goes wrong in the thread. */
  async pack(order: PackingOrder): Promise<void> {
    const { files, paths, kind, isCounted = false, signal } = order
    signal.throwIfAborted()
    const id = this.#count++
    const memory = new SharedArrayBuffer(places * blockBytes)
    const packing: Packing = { order, memory, ended: Promise.withResolvers(), writing: Promise.resolve() }
    this.#packings.set(id, packing)
    this.#thread ??= this.#begin()
    const cancel = () => this.#thread?.ask({ is: 'cancel', id })
    signal.addEventListener('abort', cancel)
    this.#thread.ask({ is: 'pack', id, directory: files.directory, paths, kind, isCounted, memory })
    try {
      await packing.ended.promise
    } finally {
      signal.removeEventListener('abort', cancel)
      this.#packings.delete(id)
      if (this.#packings.size === 0) this.#thread?.rest()
    }
  }

  #begin(): KeptThread<ToPacking, FromPacking> {
    const listener = {
      heard: (said: FromPacking) => this.#hear(said),
      ended: (error: unknown) => {
        this.#thread = undefined
        // Nobody is told of the end while they are still asked to write.
        for (const { writing, ended } of this.#packings.values()) void writing.then(() => ended.reject(error))
      },
    }
    return new KeptThread(new URL('./packing-worker.ts', import.meta.url), listener, {
      heap: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 6 },
    })
  }

  #hear(said: FromPacking): void {
    const packing = this.#packings.get(said.id)
    if (!packing) return
    switch (said.is) {
      case 'bytes':
        packing.writing = packing.writing.then(() => this.#write(packing, said))
        return
      case 'progress':
        packing.order.progress.show(said.progress)
        return
      case 'end':
        void packing.writing.then(() => {
          const { failure, ended } = packing
          if (failure) ended.reject(failure.cause)
          else if (said.problem) ended.reject(errorOf(said.problem))
          else ended.resolve()
        })
    }
  }

  async #write(packing: Packing, { id, place, length }: FromPacking & { is: 'bytes' }): Promise<void> {
    const { order, memory, failure } = packing
    try {
      if (!failure && !order.signal.aborted) await order.write(new Uint8Array(memory, place * blockBytes, length))
    } catch (cause) {
      packing.failure = { cause }
      this.#thread?.ask({ is: 'cancel', id })
    }
    this.#thread?.ask({ is: 'taken', id, place })
  }
}

export const packingThread = new PackingThread()
