import type { OpenedFile } from '../../files/read/opened-file.ts'
import type { Effort, Efforts } from './deflate-job.ts'
import { deflateThreads } from './deflate-threads.ts'

/** Maximum number of concurrent blocks per archive. */
export const blocksAhead = 8

/**
 * The default effort, and those that need three quarters and half of its time on numeric data. Such data has few
 * matches, and distant ones cost more bits than they save: a small window compresses it even better.
 */
const efforts = [
  { level: 5, windowBits: 15 },
  { level: 1, windowBits: 15 },
  { level: 1, windowBits: 12 },
] as const satisfies Efforts
const [defaultEffort] = efforts

/**
 * The effort is re-evaluated after `firstTrial` blocks, then after `nextTrial`, doubled up to `maxTrial` while it does
 * not change. A trial takes the time of two to four blocks.
 */
const [firstTrial, nextTrial, maxTrial] = [2, 32, 128]

/** A block of a stream that is deflated in blocks. */
export interface Block {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/**
 * Deflates blocks independently so that their concatenation is one raw deflate stream. Lowers the effort when more
 * effort does not help. The output is in the memory of a block, or is the input block itself.
 */
export class DeflateStream {
  #effort: Effort = defaultEffort
  #untilTrial = firstTrial
  #betweenTrials = nextTrial

  async block(block: Block): Promise<Uint8Array[]> {
    if (block.bytes.length === 0) return storedBlocks(block)
    const isTrial = this.#untilTrial-- === 0
    if (isTrial) this.#untilTrial = this.#betweenTrials
    const { bytes, packed, effort } = await deflateThreads.deflate(block.bytes, isTrial ? efforts : [this.#effort])
    if (isTrial) this.#setEffort(effort)
    if (packed === undefined) return storedBlocks(block)
    return block.isLast ? [bytes, end] : [bytes]
  }

  #setEffort(effort: Effort): void {
    this.#betweenTrials = effort === this.#effort ? Math.min(2 * this.#betweenTrials, maxTrial) : nextTrial
    this.#effort = effort
  }
}

/** A small file, deflated or stored, whichever is shorter. */
export interface SmallFile {
  /** In the memory of a block, except for the last two of deflated content. */
  readonly parts: readonly Uint8Array[]
  readonly isDeflated: boolean
  readonly crc: number
  readonly size: number
}

/** Reads at most one block of a file and deflates it if that helps. */
export async function deflatedFile({ fd }: OpenedFile, length: number): Promise<SmallFile> {
  const { bytes, packed, crc, size } = await deflateThreads.deflate({ fd, length }, [defaultEffort])
  const isDeflated = packed !== undefined
  return { parts: isDeflated ? [bytes, end] : [bytes], isDeflated, crc, size }
}

/** An empty final block. */
const end = Buffer.from([3, 0])

const storedMax = 65_535

/** Stored deflate blocks. */
function storedBlocks({ bytes, isLast }: Block): Uint8Array[] {
  const blocks: Uint8Array[] = []
  for (let at = 0; at < bytes.length || blocks.length === 0; at += storedMax) {
    const part = bytes.subarray(at, at + storedMax)
    const head = Buffer.alloc(5)
    head[0] = isLast && at + storedMax >= bytes.length ? 1 : 0
    head.writeUInt16LE(part.length, 1)
    head.writeUInt16LE(part.length ^ 0xffff, 3)
    blocks.push(head, part)
  }
  return blocks
}
