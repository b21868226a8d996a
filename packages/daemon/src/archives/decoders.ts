import type { FileHandle } from 'node:fs/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { decoding } from './archive-errors.ts'
import { rangeOf } from './file-range.ts'
import type { Coding } from './kinds.ts'
import { lzipContent } from './lzip.ts'
import { contentBySevenZip } from './seven-zip.ts'
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

const chunkSize = 256 * 1024
const sevenZipTypes = { bz2: 'bzip2', xz: 'xz', lzma: 'lzma' } as const

function raw({ file, size, signal }: Packed, coding: Coding): AsyncIterable<Uint8Array> {
  const whole = { start: 0, end: size }
  if (coding === 'lz') return lzipContent({ file, size, signal })
  if (coding !== 'gz' && coding !== 'zst') {
    return contentBySevenZip({ file, parts: [whole], type: sevenZipTypes[coding], signal })
  }
  const decoder = coding === 'gz' ? createGunzip({ chunkSize }) : createZstdDecompress({ chunkSize })
  return through(rangeOf(file, 0, size), decoder)
}
