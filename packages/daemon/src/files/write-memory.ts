import { limits } from '@innkeeper/contract/limits'

/** So many blocks are kept for the next files: what is only left behind makes V8 look through all of its own memory. */
const [plainKept, alignedKept] = [8, 16]
const wasmPage = 64 * 1024

/** As far as it is used here; the types of the runtime leave it out. */
declare const WebAssembly: {
  readonly Memory: new (pages: {
    readonly initial: number
    readonly maximum: number
  }) => {
    readonly buffer: ArrayBuffer
  }
}

const plain: Buffer[] = []
const aligned = new WeakSet<Buffer>()
let spareAligned: Buffer[] | undefined

/** A block of `limits.fileWriteBytes` to write from; whoever has written it gives it back. */
export function takeWriteBlock(): Buffer {
  return plain.pop() ?? Buffer.allocUnsafeSlow(limits.fileWriteBytes)
}

/**
 * One that begins where a page of memory does, so that a disk can take it from there by itself. There are few for all files:
 * whoever cannot use it leaves it to others. Without a free one, any other.
 */
export function takeAlignedBlock(): Buffer {
  spareAligned ??= alignedBlocks()
  return spareAligned.pop() ?? takeWriteBlock()
}

/** Memory of another size goes its own way. */
export function giveWriteBlock(block: Buffer): void {
  if (block.length !== limits.fileWriteBytes) return
  if (isAligned(block)) spareAligned?.push(block)
  else if (plain.length < plainKept) plain.push(block)
}

export function isAligned(block: Buffer): boolean {
  return aligned.has(block)
}

/** Only the memory of WebAssembly begins where a page does; nothing else of the runtime can be told where to begin. */
function alignedBlocks(): Buffer[] {
  const pages = (alignedKept * limits.fileWriteBytes) / wasmPage
  try {
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages })
    const blocks = Array.from({ length: alignedKept }, (_, at) =>
      Buffer.from(buffer, at * limits.fileWriteBytes, limits.fileWriteBytes),
    )
    for (const block of blocks) aligned.add(block)
    return blocks
  } catch (error) {
    // It wants more addresses than it uses, and there may be a limit on those.
    if (error instanceof RangeError) return []
    throw error
  }
}
