import { limits } from '@innkeeper/contract/limits'

/** Memory that frames share; it is used again once none of them needs it. */
export class Block {
  readonly buffer: Buffer
  readonly #pool: BlockPool | undefined
  #users = 1

  constructor(buffer: Buffer, pool?: BlockPool) {
    this.buffer = buffer
    this.#pool = pool
  }

  hold(): void {
    this.#users++
  }

  release(): void {
    this.#users--
    if (this.#users > 0) return
    if (this.#pool) this.#pool.give(this.buffer)
    else free(this.buffer)
  }
}

/** A character that had to be replaced takes three times its place; the head of an entry takes the rest. */
const blockBytes = 4 * limits.consoleFlushBytes

/** Large blocks are kept for the next use, so that a flood makes no garbage; small ones are freed. */
export class BlockPool {
  readonly #spare: Buffer[] = []

  /** A block of at least this size, or of the largest there is. */
  take(bytes: number): Block {
    if (bytes <= blockBytes / 4) return new Block(Buffer.allocUnsafeSlow(bytes))
    return new Block(this.#spare.pop() ?? Buffer.allocUnsafeSlow(blockBytes), this)
  }

  give(buffer: Buffer): void {
    if (this.#spare.length * blockBytes < limits.viewerBacklogBytes) this.#spare.push(buffer)
    else free(buffer)
  }
}

/**
 * Frees the memory of large bytes that nobody will look at again. The collector does not hurry with memory outside its
 * heap: without this a flood leaves tens of megabytes of it around.
 */
export function free(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  // Small ones may share their memory with others, and are not worth the call.
  if (byteLength < limits.consoleFlushBytes / 16 || byteLength !== buffer.byteLength) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
