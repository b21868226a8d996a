import { crc32 } from 'node:zlib'
import type { Progress } from '../../files/tree/progress.ts'
import {
  centralHeader,
  dataDescriptor,
  type EntrySize,
  endOfCentralDirectory,
  localHeader,
  max32,
  type ZipEntry,
} from '../zip-format.ts'
import { type ArchiveItem, type ArchivePiece, readSmallFile } from './archive-pieces.ts'
import { blocksAhead, DeflateStream, deflatedFile } from './deflate.ts'
import { orderedMap } from './ordered-map.ts'

/** A piece that is ready to be written. */
type PackedPiece =
  | {
      readonly is: 'entry'
      readonly entry: ZipEntry
      readonly entrySize: EntrySize
      readonly parts: readonly Uint8Array[]
    }
  | { readonly is: 'start'; readonly entry: ZipEntry }
  | {
      readonly is: 'block'
      /** Of the file so far. */
      readonly crc: number
      readonly size: number
      readonly packed: readonly Uint8Array[]
      readonly isLast: boolean
    }
  | { readonly is: 'gone' }

/** The bytes of a zip file, streamed without knowing sizes in advance. */
export async function* packZip(pieces: AsyncIterable<ArchivePiece>, progress: Progress): AsyncGenerator<Uint8Array> {
  const directory = new Directory()
  let large: { readonly entry: ZipEntry; readonly offset: number; entrySize: EntrySize } | undefined
  let offset = 0

  const pack = packer(progress)
  for await (const piece of orderedMap(pieces, blocksAhead, pack)) {
    if (piece.is === 'entry') {
      const head = localHeader(piece.entry, piece.entrySize)
      directory.add(piece.entry, piece.entrySize, offset)
      const whole = Buffer.concat([head, ...piece.parts])
      offset += whole.length
      yield whole
      progress.entries++
      if (!piece.entry.isLink) progress.bytes += piece.entrySize.size
    } else if (piece.is === 'start') {
      large = { entry: piece.entry, offset, entrySize: { crc: 0, compressedSize: 0, size: 0 } }
      const head = localHeader(piece.entry)
      offset += head.length
      yield head
    } else if (piece.is === 'block' && large) {
      const { crc, size, packed } = piece
      const length = lengthOf(packed)
      progress.bytes += size - large.entrySize.size
      large.entrySize = { crc, size, compressedSize: large.entrySize.compressedSize + length }
      offset += length
      yield* packed
      if (!piece.isLast) continue
      const end = dataDescriptor(large.entry, large.entrySize)
      directory.add(large.entry, large.entrySize, large.offset)
      offset += end.length
      yield end
      progress.entries++
    }
  }
  yield* directory.parts
  yield endOfCentralDirectory(directory.entries, offset, directory.bytes)
}

/** Prepares pieces concurrently; they are written in order. */
function packer(progress: Progress): (piece: ArchivePiece) => Promise<PackedPiece> {
  let [deflating, crc, size] = [new DeflateStream(), 0, 0]
  return async (piece) => {
    switch (piece.is) {
      case 'folder':
        return emptyEntry(piece.item, { isFolder: true })
      case 'link':
        return linkEntry(piece.item)
      case 'file':
        return await packSmall(piece.item, progress)
      case 'start': {
        ;[deflating, crc, size] = [new DeflateStream(), 0, 0]
        // Incompressible data grows by five bytes in 64 KiB.
        const isLarge = piece.size * 1.001 > max32
        return { is: 'start', entry: entryOf(piece.item, { isDeflated: true, isStreamed: true, isLarge }) }
      }
      case 'block': {
        crc = crc32(piece.bytes, crc)
        size += piece.bytes.length
        // Evaluated before the next block changes them.
        return { is: 'block', crc, size, packed: await deflating.block(piece), isLast: piece.isLast }
      }
    }
  }
}

/** If the file has grown meanwhile, it is packed with its earlier size. */
async function packSmall(item: ArchiveItem, progress: Progress): Promise<PackedPiece> {
  const content = await readSmallFile(item, progress)
  if (!content) return { is: 'gone' }
  const [crc, size] = [crc32(content), content.length]
  const { parts, isDeflated } = await deflatedFile(content)
  const entrySize = { crc, compressedSize: lengthOf(parts), size }
  return { is: 'entry', entry: entryOf(item, { isDeflated }), entrySize, parts }
}

/** The content of a link is its target. */
function linkEntry(item: ArchiveItem): PackedPiece {
  const content = Buffer.from(item.target ?? '')
  const entrySize = { crc: crc32(content), compressedSize: content.length, size: content.length }
  return { is: 'entry', entry: entryOf(item, { isLink: true }), entrySize, parts: [content] }
}

function emptyEntry(item: ArchiveItem, fields: Partial<ZipEntry>): PackedPiece {
  return { is: 'entry', entry: entryOf(item, fields), entrySize: { crc: 0, compressedSize: 0, size: 0 }, parts: [] }
}

function entryOf({ name, info }: ArchiveItem, fields: Partial<ZipEntry>): ZipEntry {
  const { modified, mode } = info
  return {
    name,
    modified,
    mode,
    isFolder: false,
    isLink: false,
    isDeflated: false,
    isStreamed: false,
    isLarge: false,
    ...fields,
  }
}

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0)

const partBytes = 64 * 1024

/** The central directory, collected while the archive is written. */
class Directory {
  readonly parts: Buffer[] = []
  entries = 0
  bytes = 0
  #capacity = 0

  add(entry: ZipEntry, entrySize: EntrySize, offset: number): void {
    const header = centralHeader(entry, entrySize, offset)
    if (this.#capacity < header.length) this.#open(header.length)
    const last = this.parts.length - 1
    const part = this.parts[last] as Buffer
    // Grows within its allocated memory.
    const grown = Buffer.from(part.buffer, part.byteOffset, part.length + header.length)
    header.copy(grown, part.length)
    this.parts[last] = grown
    this.#capacity -= header.length
    this.bytes += header.length
    this.entries++
  }

  #open(least: number): void {
    this.#capacity = Math.max(partBytes, least)
    this.parts.push(Buffer.allocUnsafeSlow(this.#capacity).subarray(0, 0))
  }
}
