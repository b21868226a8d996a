/** Smaller buffers come from the pool of Node.js. */
const small = 4 * 1024

/** The usual request size of clients and the maximum, each with room for a header. */
const sizes = [33 * 1024, 257 * 1024] as const
const maxFree = [64, 32] as const

/** Pools of large buffers for all sessions: they are expensive to allocate and to collect. */
export class BufferPools {
  readonly #free: readonly [Buffer[], Buffer[]] = [[], []]

  /** Returns a buffer of at least this length. */
  acquire(length: number): Buffer {
    if (length <= small) return Buffer.allocUnsafe(length)
    const at = length <= sizes[0] ? 0 : 1
    return this.#free[at].pop() ?? Buffer.allocUnsafeSlow(sizes[at])
  }

  release(buffer: Buffer): void {
    if (buffer.length <= small) return
    const at = buffer.length === sizes[0] ? 0 : 1
    if (this.#free[at].length < maxFree[at]) this.#free[at].push(buffer)
  }
}
