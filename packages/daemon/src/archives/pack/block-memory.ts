/** Block size. Smaller blocks compress worse, larger ones use fewer CPUs. */
export const blockBytes = 256 * 1024

/** Free blocks kept, 2 MiB in all. */
const maxFree = 8
const free: Buffer[] = []
const borrowed = new WeakSet<ArrayBufferLike>()

/**
 * Returns a block with undefined content. Large allocations that are not reused cause several garbage collections per
 * second, which delay everything.
 */
export function acquireBlock(): Buffer {
  const block = free.pop() ?? Buffer.allocUnsafeSlow(blockBytes)
  borrowed.add(block.buffer)
  return block
}

/** Releases the block of these bytes when nothing uses them any more; ignores other memory. */
export function releaseBlock({ buffer }: Uint8Array): void {
  if (borrowed.delete(buffer) && free.length < maxFree) free.push(Buffer.from(buffer))
}

/** Like `releaseBlock`, for several. */
export function releaseBlocks(many: readonly Uint8Array[]): void {
  for (const bytes of many) releaseBlock(bytes)
}
