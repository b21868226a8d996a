import { crc32 } from 'node:zlib'
import { blockBytes } from './archive-pieces.ts'
import { type Block, blocksAhead, DeflateStream } from './deflate.ts'
import { orderedMap } from './ordered-map.ts'

/** A gzip header without name and time, made on Unix. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])

/** Compresses to a gzip file, several blocks concurrently. */
export async function* compressGzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const deflating = new DeflateStream()
  let [crc, size] = [0, 0]
  yield header
  const packed = orderedMap(blocksOf(bytes), blocksAhead, (block) => {
    crc = crc32(block.bytes, crc)
    size += block.bytes.length
    return deflating.block(block)
  })
  for await (const parts of packed) yield* parts
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc, 0)
  trailer.writeUInt32LE(size % 2 ** 32, 4)
  yield trailer
}

async function* blocksOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  for await (const block of rechunked(bytes)) yield { bytes: block, isLast: false }
  yield { bytes: new Uint8Array(), isLast: true }
}

/** The bytes in blocks, each with an ArrayBuffer of its own. Only the last one is shorter. */
export async function* rechunked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block = Buffer.allocUnsafeSlow(blockBytes)
  let filled = 0
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + blockBytes - filled)
      block.set(part, filled)
      at += part.length
      filled += part.length
      if (filled < blockBytes) continue
      yield block
      block = Buffer.allocUnsafeSlow(blockBytes)
      filled = 0
    }
  }
  if (filled > 0) yield block.subarray(0, filled)
}
