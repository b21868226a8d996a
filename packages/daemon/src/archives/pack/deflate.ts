import type { OpenedFile } from '../../files/read/opened-file.ts'
import type { Effort, Efforts } from './deflate-job.ts'
import { deflateThreads } from './deflate-threads.ts'

/** How many blocks may be under way for one archive. */
export const blocksAhead = 8

/**
 * The usual effort, and those that take three quarters and half of its time on keys and numbers. These repeat little, and
 * what little is found far back takes more bits to tell than it saves: who looks near by only packs them even better.
 */
const efforts = [
  { level: 5, windowBits: 15 },
  { level: 1, windowBits: 15 },
  { level: 1, windowBits: 12 },
] as const satisfies Efforts
const [defaultEffort] = efforts

/**
 * After so many blocks of a stream it is tried with which effort to go on, and again after so many more: twice as many
 * each time that it stays with the one it had, up to the last number. A trial takes the time of two blocks or four.
 */
const [firstTrial, nextTrial, maxTrial] = [2, 32, 128]

/** A piece of a stream that is deflated in pieces. */
export interface Block {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/**
 * Deflates blocks so that they can stand one behind the other: together they are one raw deflate stream. No more effort is
 * made than finds something. What comes of a block is in the memory of a block, or is the block itself.
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

/** The content of a file as it is to be written, whichever way is shorter. */
export interface SmallFile {
  /** In the memory of a block, but for the last two of what is deflated. */
  readonly parts: readonly Uint8Array[]
  readonly isDeflated: boolean
  readonly crc: number
  readonly size: number
}

/** Reads at most a block of a file, as far as that is there, and deflates it if that helps. */
export async function deflatedFile({ fd }: OpenedFile, length: number): Promise<SmallFile> {
  const { bytes, packed, crc, size } = await deflateThreads.deflate({ fd, length }, [defaultEffort])
  const isDeflated = packed !== undefined
  return { parts: isDeflated ? [bytes, end] : [bytes], isDeflated, crc, size }
}

/** An empty block that says that it is the last. */
const end = Buffer.from([3, 0])

const storedMax = 65_535

/** The blocks of deflate that hold bytes as they are. */
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
