import { dataBytes, dataHeadBytes } from './wire.ts'

/** Two sizes: what most clients ask for at once, and the most that they may. */
const sizes = [32 * 1024 + dataHeadBytes, dataBytes + dataHeadBytes] as const
const keptMost = [32, 6] as const

/** Buffers that are used again: large ones are dear to make. */
export class Buffers {
  readonly #kept: readonly [Buffer[], Buffer[]] = [[], []]

  take(length: number): Buffer {
    const at = length <= sizes[0] ? 0 : 1
    return this.#kept[at].pop() ?? Buffer.allocUnsafeSlow(sizes[at])
  }

  giveBack(buffer: Buffer): void {
    const at = buffer.length === sizes[0] ? 0 : 1
    if (this.#kept[at].length < keptMost[at]) this.#kept[at].push(buffer)
  }
}
