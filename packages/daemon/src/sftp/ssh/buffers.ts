/** Buffers for what is small come from a slab of Node's. */
const small = 4 * 1024

/** What most clients send and ask for at once, and the most that they may, with room for what stands before it. */
const sizes = [33 * 1024, 257 * 1024] as const
const keptMost = [64, 32] as const

/** Buffers that are used again, by all sessions together: large ones are dear to make, and to forget. */
export class Buffers {
  readonly #kept: readonly [Buffer[], Buffer[]] = [[], []]

  /** One of at least this length. */
  take(length: number): Buffer {
    if (length <= small) return Buffer.allocUnsafe(length)
    const at = length <= sizes[0] ? 0 : 1
    return this.#kept[at].pop() ?? Buffer.allocUnsafeSlow(sizes[at])
  }

  giveBack(buffer: Buffer): void {
    if (buffer.length <= small) return
    const at = buffer.length === sizes[0] ? 0 : 1
    if (this.#kept[at].length < keptMost[at]) this.#kept[at].push(buffer)
  }
}
