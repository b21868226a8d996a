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

/** A block of a stream that is deflated in blocks. Its memory is transferred to the thread that deflates it. */
export interface Block {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** Deflates blocks independently so that their concatenation is one raw deflate stream. */
export class DeflateStream {
  #effort: Effort = defaultEffort
  #blocks = 0

  async block({ bytes, isLast }: Block): Promise<Uint8Array[]> {
    if (bytes.length === 0) return storedBlocks({ bytes, isLast })
    // Files often begin with a header: the second block determines the effort for the rest.
    const isTrial = this.#blocks++ === 1
    const deflated = await deflateThreads.deflate(bytes, isTrial ? efforts : [this.#effort])
    if (isTrial) this.#effort = deflated.effort
    if (!deflated.isDeflated) return storedBlocks({ bytes: deflated.bytes, isLast })
    return isLast ? [deflated.bytes, end] : [deflated.bytes]
  }
}

/** A small file, deflated or stored, whichever is shorter. */
export interface SmallFile {
  readonly parts: readonly Uint8Array[]
  readonly isDeflated: boolean
}

/** Deflates at most one block if that helps. Its memory is transferred. */
export async function deflatedFile(content: Uint8Array): Promise<SmallFile> {
  if (content.length === 0) return { parts: [], isDeflated: false }
  const { bytes, isDeflated } = await deflateThreads.deflate(content, [defaultEffort])
  return { parts: isDeflated ? [bytes, end] : [bytes], isDeflated }
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
