import type { FileHandle } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { withArchiveErrors } from '../formats/archive-errors.ts'
import type { Compression } from '../formats/archive-kinds.ts'
import { contentBySevenZip } from '../seven-zip/seven-zip.ts'
import { readRange } from './file-range.ts'
import { decompressLzip } from './lzip.ts'
import { pipeThrough } from './pipe-through.ts'
import { decompressZstd } from './zstd.ts'

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
