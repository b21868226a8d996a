import { limits } from '@innkeeper/contract/limits'

/** Memory that frames share; it is used again once none of them needs it. */
export class SharedBuffer {
  readonly buffer: Buffer
  readonly #pool: SharedBufferPool | undefined
  #references = 1

  constructor(buffer: Buffer, pool?: SharedBufferPool) {
    this.buffer = buffer
    this.#pool = pool
  }

  retain(): void {
    this.#references++
  }

  release(): void {
    this.#references--
    if (this.#references === 0) this.#pool?.recycle(this.buffer)
  }
}

/** A character that had to be replaced takes three times its place; the head of an entry takes the rest. */
const blockBytes = 4 * limits.consoleFlushBytes

/** Reuses large blocks, so that a flood of output makes no garbage. */
export class SharedBufferPool {
  readonly #free: Buffer[] = []

  /** A block of at least this size, or of the largest there is. */
  acquire(bytes: number): SharedBuffer {
    if (bytes <= blockBytes / 4) return new SharedBuffer(Buffer.allocUnsafeSlow(bytes))
    return new SharedBuffer(this.#free.pop() ?? Buffer.allocUnsafeSlow(blockBytes), this)
  }

  recycle(buffer: Buffer): void {
    if (this.#free.length * blockBytes < limits.viewerBacklogBytes) this.#free.push(buffer)
  }
}
