import { BufferPool } from '../../memory/buffer-pool.ts'

/** Smaller buffers come from the pool of Node.js. */
const small = 4 * 1024

/** The usual request size of clients and the maximum, each with room for a header. */
const [usualBytes, maxBytes] = [33 * 1024, 257 * 1024]

/** Pools of large buffers for all sessions: they are expensive to allocate and to collect. */
export class BufferPools {
  readonly #usual = new BufferPool(usualBytes, 64)
  readonly #max = new BufferPool(maxBytes, 32)

  /** Returns a buffer of at least this length. */
  acquire(length: number): Buffer {
    if (length <= small) return Buffer.allocUnsafe(length)
    return (length <= usualBytes ? this.#usual : this.#max).acquire()
  }

  release(buffer: Buffer): void {
    // Each ignores buffers of the other size.
    this.#usual.release(buffer)
    this.#max.release(buffer)
  }
}
