/** Buffers for what is small come from a slab of Node's. */
const small = 4 * 1024

/** What most clients send and ask for at once, and the most that they may, with room for what stands before it. */
const sizes = [33 * 1024, 257 * 1024] as const
const maxFree = [64, 32] as const

/** Buffers that are used again, by all sessions together: large ones are dear to make, and to forget. */
export class BufferPools {
  readonly #free: readonly [Buffer[], Buffer[]] = [[], []]

  /** One of at least this length. */
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
