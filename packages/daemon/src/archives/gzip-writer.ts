import { crc32 } from 'node:zlib'
import { type Block, blockBytes, blocksAhead, deflateBlock } from './deflate.ts'
import { inOrder } from './in-order.ts'

/** A gzip header without a name or a time, made on Unix. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])

/** The bytes of a gzip file, several blocks of which are packed at a time. */
export async function* gzipOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [crc, size] = [0, 0]
  yield header
  const packed = inOrder(blocksOf(bytes), blocksAhead, async (block) => ({ block, parts: await deflateBlock(block) }))
  for await (const { block, parts } of packed) {
    crc = crc32(block.bytes, crc)
    size += block.bytes.length
    yield* parts
  }
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc, 0)
  trailer.writeUInt32LE(size % 2 ** 32, 4)
  yield trailer
}

async function* blocksOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  let before: Uint8Array = new Uint8Array()
  for await (const block of gathered(bytes)) {
    yield { bytes: block, before, isLast: false }
    before = block
  }
  yield { bytes: new Uint8Array(), before, isLast: true }
}

/** The same bytes in pieces of one block; the last one may be shorter. */
export async function* gathered(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let block = Buffer.allocUnsafeSlow(blockBytes)
  let filled = 0
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + blockBytes - filled)
      block.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < blockBytes) continue
      yield block
      block = Buffer.allocUnsafeSlow(blockBytes)
      filled = 0
    }
  }
  if (filled > 0) yield block.subarray(0, filled)
}
