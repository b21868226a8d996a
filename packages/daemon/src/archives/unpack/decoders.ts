import type { FileHandle } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { decoding } from '../archive-errors.ts'
import type { Coding } from '../kinds.ts'
import { contentBySevenZip } from '../seven-zip/seven-zip.ts'
import { zstdContent } from '../zstd.ts'
import { rangeOf } from './file-range.ts'
import { lzipContent } from './lzip.ts'
import { through } from './through.ts'

interface Packed {
  readonly file: FileHandle
  readonly size: number
  readonly signal: AbortSignal
}

/** Whether 7-Zip is needed for it. */
export const needsSevenZip = (coding: Coding): boolean => coding !== 'gz' && coding !== 'zst'

/** The bytes that a file holds in another form. */
export function decoded(packed: Packed, coding: Coding): AsyncGenerator<Uint8Array> {
  return decoding(raw(packed, coding))
}

const sevenZipTypes = { bz2: 'bzip2', xz: 'xz', lzma: 'lzma' } as const

function raw({ file, size, signal }: Packed, coding: Coding): AsyncIterable<Uint8Array> {
  const whole = { start: 0, end: size }
  if (coding === 'lz') return lzipContent({ file, size, signal })
  if (coding === 'zst') return zstdContent(file, size)
  if (coding !== 'gz') {
    return contentBySevenZip({ file, parts: [whole], type: sevenZipTypes[coding], signal })
  }
  return through(rangeOf(file, 0, size), createGunzip({ chunkSize: 256 * 1024 }))
}
