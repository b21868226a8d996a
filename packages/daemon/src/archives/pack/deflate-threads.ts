import { availableParallelism } from 'node:os'
import { limits } from '@innkeeper/contract/limits'
import { PooledWorker } from '../../workers/pooled-worker.ts'
import { deserializeError } from '../../workers/serialized-error.ts'
import { yieldCpu } from '../../workers/thread-priority.ts'
import { BlockCompressor } from './block-compressor.ts'
import { acquireBlock, blockBytes } from './block-memory.ts'
import type { Compressed, DeflateRequest, DeflateResponse, Efforts } from './deflate-job.ts'

/** At most a block of bytes, which must not change, or a file, which must stay open, until the result. */
export type DeflateSource = Uint8Array | { readonly fd: number; readonly length: number }

/** The result: the original bytes, or compressed bytes in the memory of a block. */
interface DeflateResult extends Compressed {
  readonly bytes: Uint8Array
}

interface DeflateJob extends PromiseWithResolvers<DeflateResult> {
  readonly source: DeflateSource
  readonly efforts: Efforts
}

/** One in progress and one queued per thread, so that it never waits. */
const slots = 2

/**
 * Deflates in worker threads with low priority: in the libuv pool it would delay file reads and the console. When all
 * are busy, the calling thread (a worker as well) deflates too. Threads are started on demand and stopped when idle.
 */
class DeflateThreads {
  readonly #maxThreads: number
  readonly #waiting: DeflateJob[] = []
  readonly #threads = new Set<DeflateThread>()
  readonly #inline = new InlineDeflater(() => this.#dispatch())

  constructor(maxThreads: number) {
    this.#maxThreads = maxThreads
  }

  /** Throws system errors when a file cannot be read. */
  async deflate(source: DeflateSource, efforts: Efforts): Promise<DeflateResult> {
    const queued: DeflateJob = { source, efforts, ...Promise.withResolvers<DeflateResult>() }
    this.#waiting.push(queued)
    this.#dispatch()
    return await queued.promise
  }

  #dispatch(): void {
    for (let slot = this.#leastBusy(); slot; slot = this.#leastBusy()) {
      const next = this.#waiting.shift()
      if (!next) return
      slot.add(next)
    }
  }

  /** The least busy thread; a new one rather than a busy one, and the current one when there is no other. */
  #leastBusy(): DeflateThread | InlineDeflater | undefined {
    if (this.#waiting.length === 0) return undefined
    const [leastBusy] = [...this.#threads].toSorted((one, other) => one.queued - other.queued)
    if (leastBusy?.queued === 0) return leastBusy
    if (this.#threads.size < this.#maxThreads) return this.#begin()
    if (leastBusy && leastBusy.queued < slots) return leastBusy
    // The others have enough queued meanwhile.
    return this.#inline.queued === 0 && this.#waiting.length > slots ? this.#inline : undefined
  }

  #begin(): DeflateThread {
    const thread = new DeflateThread({
      onResponse: () => this.#dispatch(),
      onEnd: () => this.#threads.delete(thread),
    })
    this.#threads.add(thread)
    return thread
  }
}

/** A job with its slot in shared memory. */
interface InSlot extends DeflateJob {
  readonly slot: number
}

/** Shared memory for several blocks: V8 would count transferred memory as new allocations each time. */
class SharedBlocks {
  readonly memory: SharedArrayBuffer
  readonly #free: number[]

  constructor(blocks: number) {
    this.memory = new SharedArrayBuffer(blocks * blockBytes)
    this.#free = Array.from({ length: blocks }, (_, slot) => slot)
  }

  /** Requires a free slot. */
  slot(queued: DeflateJob): { readonly inSlot: InSlot; readonly request: DeflateRequest } {
    const { source, efforts } = queued
    const { length } = source
    const slot = this.#free.pop() ?? 0
    const isFile = 'fd' in source
    if (!isFile) this.#at(slot, length).set(source)
    return { inSlot: { ...queued, slot }, request: { slot, length, fd: isFile ? source.fd : undefined, efforts } }
  }

  settle(queued: InSlot, response: DeflateResponse): void {
    if ('error' in response) queued.reject(deserializeError(response.error))
    else queued.resolve({ ...response, bytes: this.#bytesOf(queued, response) })
    this.#free.push(queued.slot)
  }

  #bytesOf({ source, slot }: InSlot, { packed, size }: Compressed): Uint8Array {
    if (packed === undefined && !('fd' in source)) return source
    const bytes = acquireBlock().subarray(0, packed ?? size)
    bytes.set(this.#at(slot, bytes.length))
    return bytes
  }

  #at(slot: number, length: number): Uint8Array {
    return new Uint8Array(this.memory, slot * blockBytes, length)
  }
}

/** The calling thread, for one block at a time. */
class InlineDeflater {
  readonly #onResponse: () => void
  readonly #blocks = new SharedBlocks(1)
  #deflater: BlockCompressor | undefined
  queued = 0

  constructor(onResponse: () => void) {
    this.#onResponse = onResponse
  }

  /** Only while idle. */
  add(queued: DeflateJob): void {
    const { inSlot, request } = this.#blocks.slot(queued)
    this.#deflater ??= new BlockCompressor(this.#blocks.memory)
    const answering = this.#deflater.compress(request)
    this.queued = 1
    const continueWork = () => {
      const step = answering.next()
      if (!step.done) {
        yieldCpu()
        // Yields to other work of this thread.
        setImmediate(continueWork)
        return
      }
      this.#blocks.settle(inSlot, step.value)
      this.queued = 0
      this.#onResponse()
    }
    setImmediate(continueWork)
  }
}

interface Listener {
  readonly onResponse: () => void
  readonly onEnd: () => void
}

class DeflateThread {
  readonly #thread: PooledWorker<DeflateRequest, DeflateResponse>
  readonly #listener: Listener
  readonly #blocks = new SharedBlocks(slots)
  readonly #queue: InSlot[] = []

  constructor(listener: Listener) {
    this.#listener = listener
    const onMessage = (response: DeflateResponse) => this.#onMessage(response)
    const onEnd = (error: unknown) => this.#end(error)
    this.#thread = new PooledWorker(
      new URL('./deflate-worker.ts', import.meta.url),
      { onMessage, onEnd },
      {
        data: this.#blocks.memory,
        heap: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 3 },
      },
    )
  }

  /** Number of queued jobs. */
  get queued(): number {
    return this.#queue.length
  }

  /** Requires a free slot. */
  add(queued: DeflateJob): void {
    const { inSlot, request } = this.#blocks.slot(queued)
    this.#queue.push(inSlot)
    this.#thread.post(request)
  }

  #onMessage(response: DeflateResponse): void {
    const queued = this.#queue.shift()
    if (!queued) return
    this.#blocks.settle(queued, response)
    this.#listener.onResponse()
    if (this.#queue.length === 0) this.#thread.idle()
  }

  #end(error: unknown): void {
    this.#listener.onEnd()
    for (const queued of this.#queue.splice(0)) queued.reject(error)
    this.#listener.onResponse()
  }
}

const processors = Math.min(availableParallelism(), limits.deflateThreads)
/** With few CPUs one is left for the calling thread; with more, it seldom has to help. */
const maxThreads = processors > 3 ? processors : Math.max(1, processors - 1)

export const deflateThreads = new DeflateThreads(maxThreads)
