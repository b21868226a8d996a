import type { FileHandle } from 'node:fs/promises'
import { crc32, createGunzip, createZstdDecompress } from 'node:zlib'
import { archiveDamaged, withArchiveErrors } from '../formats/archive-errors.ts'
import type { Compression } from '../formats/archive-kinds.ts'
import { contentBySevenZip } from '../seven-zip/seven-zip.ts'
import { readExactly, readRange } from './file-range.ts'
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

interface Member {
  readonly start: number
  readonly end: number
  readonly dictionaryBytes: number
  readonly crc: number
  readonly size: number
}

const headerBytes = 6
const trailerBytes = 20

/**
 * Decompresses an lzip file. 7-Zip does not support lzip, so each member is passed to it behind a synthetic .lzma
 * header; checksum and size are verified here.
 */
async function* decompressLzip({
  file,
  size,
  signal,
}: {
  readonly file: FileHandle
  readonly size: number
  readonly signal: AbortSignal
}): AsyncGenerator<Uint8Array> {
  for (const member of await readMembers(file, size)) {
    const payload = { start: member.start + headerBytes, end: member.end - trailerBytes }
    let [crc, bytes] = [0, 0]
    for await (const chunk of contentBySevenZip({ file, parts: [lzmaHeader(member), payload], type: 'lzma', signal })) {
      crc = crc32(chunk, crc)
      bytes += chunk.length
      yield chunk
    }
    if (crc !== member.crc || bytes !== member.size) throw archiveDamaged('a checksum in it is wrong')
  }
}

/** Each member has its length at its end: members are found from the last one on. */
async function readMembers(file: FileHandle, size: number): Promise<Member[]> {
  const members: Member[] = []
  for (let end = size; end > 0; ) {
    if (end < headerBytes + trailerBytes) throw archiveDamaged('it is not an lzip file, or ends too early')
    const trailer = await readExactly(file, end - trailerBytes, trailerBytes)
    const length = Number(trailer.readBigUInt64LE(12))
    if (length < headerBytes + trailerBytes || length > end)
      throw archiveDamaged('it is not an lzip file, or ends too early')
    const start = end - length
    const head = await readExactly(file, start, headerBytes)
    const dictionaryBytes = findDictionary(head)
    if (dictionaryBytes === undefined) throw archiveDamaged('it is not an lzip file, or ends too early')
    members.push({
      start,
      end,
      dictionaryBytes,
      crc: trailer.readUInt32LE(0),
      size: Number(trailer.readBigUInt64LE(4)),
    })
    if (members.length > maxMembers) throw archiveDamaged('it has too many members')
    end = start
  }
  if (members.length === 0) throw archiveDamaged('it is empty')
  return members.toReversed()
}

const maxMembers = 100_000

/** Returns the dictionary size of a member's header, rounded up; undefined when it is not a header. */
function findDictionary(head: Buffer): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'LZIP' || head[4] !== 1) return undefined
  const power = (head[5] ?? 0) & 31
  // Fractional sizes are valid too, but not supported by 7-Zip.
  return power < 12 || power > 29 ? undefined : 2 ** power
}

/** An .lzma header: default parameters, dictionary size, and unknown size with end marker. */
function lzmaHeader({ dictionaryBytes }: Member): Buffer {
  const head = Buffer.alloc(13, 0xff)
  head[0] = 0x5d
  head.writeUInt32LE(dictionaryBytes, 1)
  return head
}
