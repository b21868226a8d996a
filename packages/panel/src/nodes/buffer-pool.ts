import type { Duplex } from 'node:stream'
import { limits } from '@innkeeper/contract/limits'
import type { buildConnector } from 'undici'
import { duplexPair } from './duplex-pair.ts'

/** Maximum number of free buffers; more concurrent reads allocate. */
const maxFreeBuffers = 32

/**
 * Buffer pool for reads from nodes. The reader releases a buffer after use, and the next read acquires it: allocating a
 * buffer for every read of a large file costs more than the transfer itself. Buffers that are not released are
 * garbage-collected.
 */
export class BufferPool {
  readonly #free: Buffer[] = []
  /** Length of the read in each acquired buffer. */
  readonly #read = new WeakMap<ArrayBufferLike, number>()

  acquire(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(limits.nodeReadBytes)
  }

  /** Marks how much of an acquired buffer was read. */
  slice({ buffer }: Uint8Array, bytes: number): Buffer {
    this.#read.set(buffer, bytes)
    return Buffer.from(buffer, 0, bytes)
  }

  /** Releases the buffer of a chunk that is no longer used. */
  release({ buffer, byteLength }: Uint8Array): void {
    // Only a whole read is released: other slices of the buffer may still be in use.
    if (this.#read.get(buffer) !== byteLength) return
    this.#read.delete(buffer)
    if (this.#free.length < maxFreeBuffers) this.#free.push(Buffer.from(buffer))
  }
}

/** Creates in-process connections to the acceptor; their reads use the pool. */
export function inProcessConnector(memory: BufferPool, accept: (connection: Duplex) => void): buildConnector.connector {
  return (_, callback) => {
    const { near, far } = duplexPair(memory)
    accept(far)
    // The HTTP client expects the connect event to be asynchronous.
    process.nextTick(callback, null, near)
  }
}
