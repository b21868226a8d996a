import { constants, createZstdCompress, type ZstdCompress } from 'node:zlib'
import { blockBytes } from './archive-pieces.ts'
import { rechunked } from './gzip-writer.ts'

const options = {
  chunkSize: 2 * blockBytes,
  // All output of a block is read before the next one is written: it never waits for a reader.
  readableHighWaterMark: 4 * blockBytes,
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
}

/** The bytes of a zstd file. While one block is compressed, the next is prepared. */
export async function* compressZstd(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const zstd = createZstdCompress(options)
  // Reported to the caller that waits for the block at that moment.
  zstd.on('error', () => {})
  let packing: Promise<void> = Promise.resolve()
  try {
    for await (const block of rechunked(bytes)) {
      await packing
      packing = pack(zstd, block)
      // May reject before it is awaited.
      packing.catch(() => {})
      yield* readAll(zstd)
    }
    await packing
    // Its `finish` does not wait for the last bytes.
    await new Promise<void>((resolve) => zstd.flush(constants.ZSTD_e_end, resolve))
    yield* readAll(zstd)
  } finally {
    await packing.catch(() => {})
    zstd.destroy()
  }
}

async function pack(zstd: ZstdCompress, block: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => zstd.write(block, (error) => (error ? reject(error) : resolve())))
}

function* readAll(zstd: ZstdCompress): Generator<Uint8Array> {
  const packed: Buffer | null = zstd.read()
  if (packed) yield packed
}
