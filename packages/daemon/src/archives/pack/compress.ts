import { pipeline } from 'node:stream/promises'
import { constants, createGzip, createZstdCompress, type Gzip, type ZstdCompress } from 'node:zlib'
import { blockBytes } from './archive-pieces.ts'

/** Compresses to a gzip file. */
export function compressGzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  return compress(bytes, createGzip({ chunkSize: blockBytes }))
}

/** Compresses to a zstd file. */
export function compressZstd(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const params = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 }
  return compress(bytes, createZstdCompress({ chunkSize: 2 * blockBytes, params }))
}

async function* compress(
  bytes: AsyncIterable<Uint8Array>,
  compressor: Gzip | ZstdCompress,
): AsyncGenerator<Uint8Array> {
  // Destroys the compressor when it fails, so that the reader gets the error.
  const writing = pipeline(rechunked(bytes), compressor)
  writing.catch(() => {})
  try {
    yield* compressor as AsyncIterable<Uint8Array>
  } finally {
    compressor.destroy()
    await writing.catch(() => {})
  }
}

/** The bytes in blocks: tar writes in small pieces, and each write to a compressor is a task of another thread. */
async function* rechunked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
