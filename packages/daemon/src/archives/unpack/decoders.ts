import type { FileHandle } from 'node:fs/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { archiveDamaged, withArchiveErrors } from '../formats/archive-errors.ts'
import type { Compression } from '../formats/archive-kinds.ts'
import { contentBySevenZip } from '../seven-zip/seven-zip.ts'
import { readExactly, readRange } from './file-range.ts'
import { decompressLzip } from './lzip.ts'
import { pipeThrough } from './pipe-through.ts'

interface Packed {
  readonly file: FileHandle
  readonly size: number
  readonly signal: AbortSignal
}

/** Whether 7-Zip is required. */
export const needsSevenZip = (compression: Compression): boolean => compression !== 'gz' && compression !== 'zst'

/** Decompresses a file. */
export function decompress(packed: Packed, compression: Compression): AsyncGenerator<Uint8Array> {
  return withArchiveErrors(raw(packed, compression))
}

const sevenZipTypes = { bz2: 'bzip2', xz: 'xz', lzma: 'lzma' } as const

function raw({ file, size, signal }: Packed, compression: Compression): AsyncIterable<Uint8Array> {
  const whole = { start: 0, end: size }
  if (compression === 'lz') return decompressLzip({ file, size, signal })
  if (compression === 'zst') return decompressZstd(file, size)
  if (compression !== 'gz') {
    return contentBySevenZip({ file, parts: [whole], type: sevenZipTypes[compression], signal })
  }
  return pipeThrough(readRange(file, 0, size), createGunzip({ chunkSize: 256 * 1024 }))
}

const frameStart = 0xfd2f_b528
const skippedStart = 0x184d_2a50

/** Decompresses a .zst file, frame by frame: Node's decoder handles one frame. */
async function* decompressZstd(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  let at = 0
  for (let frames = 0; frames === 0 || at < size; frames++) {
    if (frames > maxFrames) throw archiveDamaged('it has too many frames')
    const start = (await readExactly(file, at, 4)).readUInt32LE()
    if (start !== frameStart && (start & ~0xf) >>> 0 !== skippedStart) {
      throw archiveDamaged(at === 0 ? 'it is not a zstd file' : 'it has more content than its header says')
    }
    const decoder = createZstdDecompress({ chunkSize: 256 * 1024 })
    yield* pipeThrough(readRange(file, at, size), decoder)
    if (decoder.bytesWritten === 0) throw archiveDamaged('it cannot be decoded')
    at += decoder.bytesWritten
  }
}

const maxFrames = 100_000
