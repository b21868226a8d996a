import { limits } from '@innkeeper/contract/limits'

/** So many blocks are kept for the next files: what is only left behind makes V8 look through all of its own memory. */
const kept = 16
const wasmPage = 64 * 1024

/** As far as it is used here; the types of the runtime leave it out. */
declare const WebAssembly: {
  readonly Memory: new (pages: {
    readonly initial: number
    readonly maximum: number
  }) => { readonly buffer: ArrayBuffer }
}

const aligned = new WeakSet<Buffer>()
let spare: Buffer[] | undefined

/** A block of `limits.fileWriteBytes` to write from; whoever has written it gives it back. */
export function takeWriteBlock(): Buffer {
  spare ??= alignedBlocks()
  return spare.pop() ?? Buffer.allocUnsafeSlow(limits.fileWriteBytes)
}

/** Memory of another size goes its own way. */
export function giveWriteBlock(block: Buffer): void {
  if (block.length !== limits.fileWriteBytes || !spare) return
  // Rather one that is aligned than one that is not.
  if (isAligned(block)) spare.push(block)
  else if (spare.length < kept) spare.unshift(block)
}

/** Whether a block begins where a page of memory does, so that a disk can take it from there by itself. */
export function isAligned(block: Buffer): boolean {
  return aligned.has(block)
}

/** Only the memory of WebAssembly begins where a page does; nothing else of the runtime can be told where to begin. */
function alignedBlocks(): Buffer[] {
  const pages = (kept * limits.fileWriteBytes) / wasmPage
  try {
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages })
    const blocks = Array.from({ length: kept }, (_, at) =>
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
