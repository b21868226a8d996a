import { limits } from '@innkeeper/contract/text/limits'
import { BufferPool } from '../memory/buffer-pool.ts'

/** Output is passed on in parts of this size. */
export const flushBytes = 65_536

/** Memory shared by frames; it is recycled when the last reference is released. */
export class SharedBuffer {
  readonly buffer: Buffer
  readonly #pool: BufferPool | undefined
  #references = 1

  constructor(buffer: Buffer, pool?: BufferPool) {
    this.buffer = buffer
    this.#pool = pool
  }

  retain(): void {
    this.#references++
  }

  release(): void {
    this.#references--
    if (this.#references === 0) this.#pool?.release(this.buffer)
  }
}

/** A replaced character takes three times its size; entry headers take the rest. */
const blockBytes = 4 * flushBytes

/** Recycles large blocks, so that a flood of output allocates nothing. */
export class SharedBufferPool {
  readonly #blocks = new BufferPool(blockBytes, Math.ceil(limits.viewerBacklogBytes / blockBytes))

  /** Returns a block of at least this size, or of the maximum size. */
  acquire(bytes: number): SharedBuffer {
    if (bytes <= blockBytes / 4) return new SharedBuffer(Buffer.allocUnsafeSlow(bytes))
    return new SharedBuffer(this.#blocks.acquire(), this.#blocks)
  }
}
