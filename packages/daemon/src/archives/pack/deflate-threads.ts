import { availableParallelism } from 'node:os'
import { PooledWorker } from '../../workers/pooled-worker.ts'
import type { Deflated, DeflateRequest, Efforts } from './deflate-job.ts'

/** Compression threads for all archives together. */
const maxDeflateThreads = 4

/**
 * Deflates in worker threads with low priority: in the libuv pool it would delay file reads and the console. Threads are
 * started on demand and stopped when idle.
 */
class DeflateThreads {
  readonly #maxThreads: number
  readonly #threads = new Set<DeflateThread>()

  constructor(maxThreads: number) {
    this.#maxThreads = maxThreads
  }

  /** Deflates at most a block. Transfers the whole memory of the bytes: they must have an ArrayBuffer of their own. */
  async deflate(bytes: Uint8Array, efforts: Efforts): Promise<Deflated> {
    return await this.#leastBusy().deflate({ bytes, efforts })
  }

  #leastBusy(): DeflateThread {
    const [thread] = [...this.#threads].toSorted((a, b) => a.pending - b.pending)
    if (thread && (thread.pending === 0 || this.#threads.size >= this.#maxThreads)) return thread
    const added = new DeflateThread(() => this.#threads.delete(added))
    this.#threads.add(added)
    return added
  }
}

class DeflateThread {
  readonly #worker: PooledWorker<DeflateRequest, Deflated>
  readonly #pending: PromiseWithResolvers<Deflated>[] = []

  constructor(onEnd: () => void) {
    const listener = {
      onMessage: (deflated: Deflated) => this.#onMessage(deflated),
      onEnd: (error: unknown) => {
        onEnd()
        for (const { reject } of this.#pending.splice(0)) reject(error)
      },
    }
    const heap = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 3 }
    this.#worker = new PooledWorker(new URL('./deflate-worker.ts', import.meta.url), listener, { heap })
  }

  get pending(): number {
    return this.#pending.length
  }

  deflate(request: DeflateRequest): Promise<Deflated> {
    const pending = Promise.withResolvers<Deflated>()
    this.#pending.push(pending)
    this.#worker.post(request, [request.bytes.buffer as ArrayBuffer])
    return pending.promise
  }

  #onMessage(deflated: Deflated): void {
    this.#pending.shift()?.resolve(deflated)
    if (this.#pending.length === 0) this.#worker.idle()
  }
}

export const deflateThreads = new DeflateThreads(Math.min(availableParallelism(), maxDeflateThreads))
