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
    if (this.#users === 0) this.#pool?.give(this.buffer)
  }
}

/** A character that had to be replaced takes three times its place; the head of an entry takes the rest. */
const blockBytes = 4 * limits.consoleFlushBytes

/** Reuses large blocks, so that a flood of output makes no garbage. */
export class BlockPool {
  readonly #spare: Buffer[] = []

  /** A block of at least this size, or of the largest there is. */
  take(bytes: number): Block {
    if (bytes <= blockBytes / 4) return new Block(Buffer.allocUnsafeSlow(bytes))
    return new Block(this.#spare.pop() ?? Buffer.allocUnsafeSlow(blockBytes), this)
  }

  give(buffer: Buffer): void {
    if (this.#spare.length * blockBytes < limits.viewerBacklogBytes) this.#spare.push(buffer)
  }
}
