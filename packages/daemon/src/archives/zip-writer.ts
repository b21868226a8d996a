import { crc32 } from 'node:zlib'
import type { Tally } from '../files/tally.ts'
import { giveBlock } from './block-memory.ts'
import { type Content, type Piece, wholeOf } from './contents.ts'
import { blocksAhead, Deflating, smaller } from './deflate.ts'
import { inOrder } from './in-order.ts'
import { centralHeader, dataDescriptor, localHeader, type Measure, max32, type ZipEntry, zipEnd } from './zip-format.ts'

/** A piece of content that is ready to be written. */
type Packed =
  | {
      readonly is: 'entry'
      readonly entry: ZipEntry
      readonly measure: Measure
      readonly raw: Uint8Array
      readonly bytes: Uint8Array
    }
  | { readonly is: 'start'; readonly entry: ZipEntry }
  | { readonly is: 'block'; readonly raw: Uint8Array; readonly packed: readonly Uint8Array[]; readonly isLast: boolean }
  | { readonly is: 'gone' }

/** The bytes of a zip file, in a form that needs to know nothing before it begins. */
export async function* zipOf(pieces: AsyncIterable<Piece>, tally: Tally): AsyncGenerator<Uint8Array> {
  const directory = new Directory()
  let large: { readonly entry: ZipEntry; readonly offset: number; measure: Measure } | undefined
  let offset = 0

  const pack = packing(tally)
  for await (const piece of inOrder(pieces, blocksAhead, pack)) {
    if (piece.is === 'entry') {
      const head = localHeader(piece.entry, piece.measure)
      directory.add(piece.entry, piece.measure, offset)
      offset += head.length + piece.bytes.length
      const whole = Buffer.concat([head, piece.bytes])
      giveBlock(piece.raw)
      yield whole
      tally.entries++
      tally.bytes += piece.measure.size
    } else if (piece.is === 'start') {
      large = { entry: piece.entry, offset, measure: { crc: 0, packed: 0, size: 0 } }
      const head = localHeader(piece.entry)
      offset += head.length
      yield head
    } else if (piece.is === 'block' && large) {
      const { crc, packed, size } = large.measure
      const length = piece.packed.reduce((sum, bytes) => sum + bytes.length, 0)
      large.measure = { crc: crc32(piece.raw, crc), packed: packed + length, size: size + piece.raw.length }
      offset += length
      yield* piece.packed
      giveBlock(piece.raw)
      tally.bytes += piece.raw.length
      if (!piece.isLast) continue
      const end = dataDescriptor(large.entry, large.measure)
      directory.add(large.entry, large.measure, large.offset)
      offset += end.length
      yield end
      tally.entries++
    }
  }
  yield* directory.parts
  yield zipEnd(directory.entries, offset, directory.bytes)
}

/** Makes pieces ready, several at a time; they are given in their order. */
function packing(tally: Tally): (piece: Piece) => Promise<Packed> {
  let deflating = new Deflating()
  return async (piece) => {
    switch (piece.is) {
      case 'folder':
        return {
          is: 'entry',
          entry: entryOf(piece.content, { isFolder: true }),
          measure: { crc: 0, packed: 0, size: 0 },
          ...{ raw: nothing, bytes: nothing },
        }
      case 'file':
        return await packSmall(piece.content, tally)
      case 'start': {
        deflating = new Deflating()
        // What cannot be packed grows by five bytes in 64 KiB.
        const isLarge = piece.size * 1.001 > max32
        return { is: 'start', entry: entryOf(piece.content, { isDeflated: true, isStreamed: true, isLarge }) }
      }
      case 'block':
        return { is: 'block', raw: piece.bytes, packed: await deflating.block(piece), isLast: piece.isLast }
    }
  }
}

async function packSmall(content: Content, tally: Tally): Promise<Packed> {
  const raw = await wholeOf(content, tally)
  if (!raw) return { is: 'gone' }
  const deflated = await smaller({ bytes: raw, isLast: true })
  const bytes = deflated ?? raw
  return {
    is: 'entry',
    entry: entryOf(content, { isDeflated: deflated !== undefined }),
    measure: { crc: crc32(raw), packed: bytes.length, size: raw.length },
    ...{ raw, bytes },
  }
}

function entryOf({ name, info }: Content, what: Partial<ZipEntry>): ZipEntry {
  const { modified, mode } = info
  return { name, modified, mode, isFolder: false, isDeflated: false, isStreamed: false, isLarge: false, ...what }
}

const nothing = new Uint8Array()

const partBytes = 64 * 1024

/** The list at the end of a zip, kept as bytes while the archive is written. */
class Directory {
  readonly parts: Buffer[] = []
  entries = 0
  bytes = 0
  #room = 0

  add(entry: ZipEntry, measure: Measure, offset: number): void {
    const header = centralHeader(entry, measure, offset)
    if (this.#room < header.length) this.#open(header.length)
    const last = this.parts.length - 1
    const part = this.parts[last] as Buffer
    // The part grows within the memory that it was given.
    const grown = Buffer.from(part.buffer, part.byteOffset, part.length + header.length)
    header.copy(grown, part.length)
    this.parts[last] = grown
    this.#room -= header.length
    this.bytes += header.length
    this.entries++
  }

  #open(least: number): void {
    this.#room = Math.max(partBytes, least)
    this.parts.push(Buffer.allocUnsafeSlow(this.#room).subarray(0, 0))
  }
}
