import { crc32 } from 'node:zlib'
import { acquireBlock, blockBytes, releaseBlocks } from './block-memory.ts'
import { type Block, blocksAhead, DeflateStream } from './deflate.ts'
import { orderedMap } from './ordered-map.ts'

/** A gzip header without name and time, made on Unix. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])

/** Compresses to a gzip file, several blocks concurrently. */
export async function* gzipOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const deflating = new DeflateStream()
  let [crc, size] = [0, 0]
  yield header
  const packed = orderedMap(blocksOf(bytes), blocksAhead, async (block) => ({
    block,
    parts: await deflating.block(block),
  }))
  for await (const { block, parts } of packed) {
    crc = crc32(block.bytes, crc)
    size += block.bytes.length
    yield* parts
    releaseBlocks([block.bytes, ...parts])
  }
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc, 0)
  trailer.writeUInt32LE(size % 2 ** 32, 4)
  yield trailer
}

async function* blocksOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  for await (const block of rechunked(bytes)) yield { bytes: block, isLast: false }
  yield { bytes: new Uint8Array(), isLast: true }
}

/** Merges small chunks and splits large ones, so that no chunk is larger than a block. */
export async function* rechunked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block: Buffer | undefined
  let filled = 0
  for await (const chunk of bytes) {
    const isLarge = chunk.length >= blockBytes / 2
    if (block && (isLarge || filled + chunk.length > blockBytes)) {
      yield block.subarray(0, filled)
      block = undefined
    }
    if (isLarge) {
      for (let at = 0; at < chunk.length; at += blockBytes) yield chunk.subarray(at, at + blockBytes)
      continue
    }
    if (!block) {
      block = acquireBlock()
      filled = 0
    }
    block.set(chunk, filled)
    filled += chunk.length
  }
  if (block) yield block.subarray(0, filled)
}
