/** So much is read and packed at a time. Smaller blocks pack worse, larger ones keep fewer processors busy. */
export const blockBytes = 256 * 1024

/** What is kept for the next ones, 2 MiB in all. */
const maxFree = 8
const free: Buffer[] = []
const borrowed = new WeakSet<ArrayBufferLike>()

/**
 * Memory for a block, with anything in it. Memory of this size that is only left behind makes the runtime look for garbage
 * several times a second, and everybody wait for it.
 */
export function acquireBlock(): Buffer {
  const block = free.pop() ?? Buffer.allocUnsafeSlow(blockBytes)
  borrowed.add(block.buffer)
  return block
}

/** For the next block, once nobody looks at these bytes any more; they may be a part of a block, or be none of ours. */
export function releaseBlock({ buffer }: Uint8Array): void {
  if (borrowed.delete(buffer) && free.length < maxFree) free.push(Buffer.from(buffer))
}

/** Like `giveBlock`, once nobody looks at any of them. */
export function releaseBlocks(many: readonly Uint8Array[]): void {
  for (const bytes of many) releaseBlock(bytes)
}
