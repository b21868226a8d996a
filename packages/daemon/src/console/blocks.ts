import { limits } from '@innkeeper/contract/limits'
import { free } from '../files/free.ts'

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
    else freeLarge(this.buffer)
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
    else freeLarge(buffer)
  }
}

/**
 * Frees the memory of large bytes that nobody will look at again: without this a flood leaves tens of megabytes of it
 * around. For small ones it is not worth the call.
 */
export function freeLarge(bytes: Uint8Array): void {
  if (bytes.byteLength >= limits.consoleFlushBytes / 16) free(bytes)
}
