/** So much is read and packed at a time. Smaller blocks pack worse, larger ones keep fewer processors busy. */
export const blockBytes = 256 * 1024

/** What is kept for the next ones, 2 MiB in all. */
const keptAtMost = 8
const free: Buffer[] = []
const lent = new WeakSet<ArrayBufferLike>()

/**
 * Memory for a block, with anything in it. Memory of this size that is only left behind makes the runtime look for garbage
 * several times a second, and everybody wait for it.
 */
export function takeBlock(): Buffer {
  const block = free.pop() ?? Buffer.allocUnsafeSlow(blockBytes)
  lent.add(block.buffer)
  return block
}

/** For the next block, once nobody looks at these bytes any more; they may be a part of a block, or be none of ours. */
export function giveBlock({ buffer }: Uint8Array): void {
  if (lent.delete(buffer) && free.length < keptAtMost) free.push(Buffer.from(buffer))
}

/** Like `giveBlock`, once nobody looks at any of them. */
export function giveBlocks(many: readonly Uint8Array[]): void {
  for (const bytes of many) giveBlock(bytes)
}
