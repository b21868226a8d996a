import type { Duplex } from 'node:stream'
import { limits } from '@innkeeper/contract/limits'
import type { buildConnector } from 'undici'
import { freeBuffersAfterWrite } from './decoupled-body.ts'
import { duplexPair } from './duplex-pair.ts'

/** What is kept for the next reads; more passes at a time take new memory. */
const maxFreeBuffers = 32

/**
 * The memory that connections to a node read into. Whoever passes on what was read gives its memory back, and the next
 * read uses it: to take new memory for every part of a large file costs more than to pass it on. What is not given back
 * is collected as everything is.
 */
export class BufferPool {
  readonly #free: Buffer[] = []
  /** How much of it was read, by memory that is in use. */
  readonly #read = new WeakMap<ArrayBufferLike, number>()

  acquire(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(limits.nodeReadBytes)
  }

  /** What was read into memory that was taken. */
  slice({ buffer }: Uint8Array, bytes: number): Buffer {
    this.#read.set(buffer, bytes)
    return Buffer.from(buffer, 0, bytes)
  }

  /** Of a chunk that nobody looks at any more. */
  release({ buffer, byteLength }: Uint8Array): void {
    // Beside a part of a read there are other parts, which somebody may still need.
    if (this.#read.get(buffer) !== byteLength) return
    this.#read.delete(buffer)
    if (this.#free.length < maxFreeBuffers) this.#free.push(Buffer.from(buffer))
  }
}

/** Opens connections within this process, whose other ends are accepted there; they read into that memory. */
export function inProcessConnector(memory: BufferPool, accept: (connection: Duplex) => void): buildConnector.connector {
  return (_, callback) => {
    const { near, far } = duplexPair(memory)
    accept(far)
    // Its client expects that to connect takes a moment.
    process.nextTick(callback, null, freeBuffersAfterWrite(near))
  }
}
