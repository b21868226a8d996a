import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { crc32, createInflateRaw, inflateRaw, inflateRawSync } from 'node:zlib'
import { fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader, type Entry as ZipEntry } from 'yauzl'
import { ConcurrencyLimiter } from '../../concurrency/concurrency-limiter.ts'
import { archiveDamaged, toArchiveError, withArchiveErrors } from '../formats/archive-errors.ts'
import { decodeUtf8 } from '../formats/utf8.ts'
import { ReadWindow, readExactly, readRange } from './file-range.ts'
import { pipeThrough } from './pipe-through.ts'
import type { Entry, OpenedArchive } from './unpacking.ts'

/** The totals of a central directory. */
interface ZipTotals {
  readonly entries: number
  readonly bytes: number
  /** Whether a compression method is only supported by 7-Zip. */
  readonly needsSevenZip: boolean
}

const inflateOnce = promisify<Uint8Array, Parameters<typeof inflateRaw>[1], Buffer>(inflateRaw)

/** Files up to this size are extracted in one piece, several concurrently. */
const smallBytes = 1024 * 1024
const smallConcurrency = 8
/** Inflating this much takes no longer than a thread hop. */
const tinyBytes = 32 * 1024

/** Extracts a zip. Returns 'unusual', without any change, when it uses methods other than deflate. */
export async function unpackZip(opened: OpenedArchive): Promise<'unpacked' | 'unusual'> {
  const sums = await readTotals(opened)
  if (sums.needsSevenZip) return 'unusual'
  opened.progress.totalEntries = sums.entries
  opened.progress.totalBytes = sums.bytes

  await using work = new ConcurrencyLimiter(smallConcurrency + 1)
  const window = new ReadWindow(opened.file, opened.size)
  let large = Promise.resolve()
  for await (const zipped of readEntries(opened)) {
    opened.signal.throwIfAborted()
    const entry = getEntry(zipped)
    if (entry.kind === 'folder') await opened.unpacking.folder(entry)
    else if (entry.kind === 'link' && isSmall(zipped)) await unpackLink(opened, window, zipped, entry)
    else if (entry.kind !== 'file') opened.unpacking.skip(entry)
    else if (isSmall(zipped)) await work.add(unpackSmall(opened, window, zipped, entry))
    else {
      // Large files one after the other, small files concurrently.
      await large
      large = unpackLarge(opened, zipped, entry, work.signal)
      await work.add(large)
    }
  }
  await work.end()
  return 'unpacked'
}

async function readTotals(opened: OpenedArchive): Promise<ZipTotals> {
  let [entries, bytes, packed, needsSevenZip] = [0, 0, 0, false]
  for await (const entry of readEntries(opened)) {
    opened.signal.throwIfAborted()
    if (entry.isEncrypted()) throw archiveDamaged('it is protected by a password')
    entries++
    bytes += entry.uncompressedSize
    packed += localHeaderBytes + entry.compressedSize
    needsSevenZip ||= entry.compressionMethod !== stored && entry.compressionMethod !== deflated
  }
  // A zip bomb of overlapping files.
  if (packed > opened.size) throw archiveDamaged('its files overlap')
  return { entries, bytes, needsSevenZip }
}

function readEntries({ file, size }: OpenedArchive): AsyncGenerator<ZipEntry> {
  return withArchiveErrors(entries())

  async function* entries(): AsyncGenerator<ZipEntry> {
    const options = { decodeStrings: false, autoClose: false }
    const zip = await fromRandomAccessReaderPromise(new ListReader(file), size, options)
    yield* zip.eachEntry()
  }
}

async function unpackSmall(opened: OpenedArchive, window: ReadWindow, zipped: ZipEntry, entry: Entry): Promise<void> {
  await using unpacked = await opened.unpacking.file(entry)
  if (!unpacked) return
  await unpacked.write(await smallContent(opened, window, zipped))
  await unpacked.commit()
}

/** The content of a link is its target. */
async function unpackLink(opened: OpenedArchive, window: ReadWindow, zipped: ZipEntry, entry: Entry): Promise<void> {
  const target = decodeUtf8(await smallContent(opened, window, zipped))
  await opened.unpacking.link(entry, target ?? '')
}

async function smallContent(opened: OpenedArchive, window: ReadWindow, zipped: ZipEntry): Promise<Buffer> {
  const part = await window.read(zipped.relativeOffsetOfLocalHeader, bytesToRead(zipped))
  const packed = await readContent(opened.file, zipped, part)
  if (packed.length !== zipped.compressedSize) throw archiveDamaged('it ends too early')
  const bytes = zipped.compressionMethod === stored ? packed : await inflated(packed, zipped.uncompressedSize)
  if (bytes.length !== zipped.uncompressedSize)
    throw archiveDamaged('a file in it has another size than its header says')
  if (crc32(bytes) !== zipped.crc32) throw archiveDamaged('a checksum in it is wrong')
  return bytes
}

async function unpackLarge(
  { file, unpacking }: OpenedArchive,
  zipped: ZipEntry,
  entry: Entry,
  signal: AbortSignal,
): Promise<void> {
  await using unpacked = await unpacking.file(entry)
  if (!unpacked) return
  const start = await contentStart(file, zipped)
  const packed = readRange(file, start, start + zipped.compressedSize)
  const bytes =
    zipped.compressionMethod === stored ? packed : pipeThrough(packed, createInflateRaw({ chunkSize: 256 * 1024 }))
  let [size, crc] = [0, 0]
  for await (const chunk of withArchiveErrors(bytes)) {
    size += chunk.length
    if (size > zipped.uncompressedSize) break
    signal.throwIfAborted()
    crc = crc32(chunk, crc)
    await unpacked.write(chunk)
  }
  if (size !== zipped.uncompressedSize) throw archiveDamaged('a file in it has another size than its header says')
  if (crc !== zipped.crc32) throw archiveDamaged('a checksum in it is wrong')
  await unpacked.commit()
}

/** The output has memory of its own. */
async function inflated(packed: Buffer, size: number): Promise<Buffer> {
  // One byte more detects additional content. Buffers smaller than half of the pool would share pool memory.
  const chunkSize = Math.max(Buffer.poolSize / 2, size) + 1
  const options = { chunkSize, maxOutputLength: Math.max(1, size) }
  const isTiny = packed.length <= tinyBytes && size <= tinyBytes
  const inflate = async () => (isTiny ? inflateRawSync(packed, options) : await inflateOnce(packed, options))
  return await inflate().catch((error: unknown) => {
    throw toArchiveError(error)
  })
}

const stored = 0
const deflated = 8
const localHeaderBytes = 30
/** Allowance for a local header that is longer than the central one. */
const spareBytes = 64

const isSmall = ({ compressedSize, uncompressedSize }: ZipEntry) =>
  compressedSize <= smallBytes && uncompressedSize <= smallBytes

/** The content with its local header, by the sizes in the central directory, plus an allowance. */
const bytesToRead = ({ fileNameLength, extraFieldLength, compressedSize }: ZipEntry): number =>
  localHeaderBytes + fileNameLength + extraFieldLength + spareBytes + compressedSize

/** The compressed content, which is in that range in most cases. */
async function readContent(file: FileHandle, zipped: ZipEntry, part: Buffer): Promise<Buffer> {
  const { relativeOffsetOfLocalHeader: at, compressedSize } = zipped
  const start = contentOffset(part)
  if (start + compressedSize <= part.length) return part.subarray(start, start + compressedSize)
  return await readExactly(file, at + start, compressedSize)
}

async function contentStart(file: FileHandle, { relativeOffsetOfLocalHeader: at }: ZipEntry): Promise<number> {
  return at + contentOffset(await readExactly(file, at, localHeaderBytes))
}

/** Returns where the content begins, after the local header with its name and extra fields. */
function contentOffset(header: Buffer): number {
  if (header.length < localHeaderBytes || header.readUInt32LE(0) !== 0x0403_4b50) {
    throw archiveDamaged('a file in it is not at its offset')
  }
  return localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28)
}

function getEntry(zipped: ZipEntry): Entry {
  const host = zipped.versionMadeBy >>> 8
  const mode = host === unix ? zipped.externalFileAttributes >>> 16 : 0
  const name = findName(zipped, host)
  const type = mode & 0o170000
  const isFolder = name?.endsWith('/') || type === 0o040000 || (host === dos && isDosFolder(zipped))
  const isOther = type !== 0 && type !== 0o100000 && type !== 0o040000
  return {
    name,
    kind: type === 0o120000 ? 'link' : isOther ? 'other' : isFolder ? 'folder' : 'file',
    mode: mode & 0o777,
    modified: zipped.getLastModDate(),
  }
}

const dos = 0
const unix = 3

const isDosFolder = ({ externalFileAttributes }: ZipEntry) => (externalFileAttributes & 0x10) !== 0

/**
 * Decodes the name. Unix tools write raw bytes whatever the flags say; others write CP437 unless they set the UTF-8
 * flag, and some use backslashes.
 */
function findName(zipped: ZipEntry, host: number): string | undefined {
  const { generalPurposeBitFlag: flags, fileNameRaw: bytes, extraFields } = zipped
  const saysUtf8 = (flags & 0x800) !== 0
  let text = decodeUtf8(bytes)
  if (saysUtf8 && text === undefined) return undefined
  if (!saysUtf8 && (host !== unix || text === undefined)) text = getFileNameLowLevel(flags, bytes, extraFields, true)
  return host === unix ? text : text?.replaceAll('\\', '/')
}

/** Reads the central directory, which yauzl requests in very small pieces, in large ones. */
class ListReader extends RandomAccessReader {
  readonly #file: FileHandle
  #window: Buffer = Buffer.alloc(0)
  #start = 0

  constructor(file: FileHandle) {
    super()
    this.#file = file
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null) => void,
  ): void {
    if (position >= this.#start && position + length <= this.#start + this.#window.length) {
      this.#window.copy(buffer, offset, position - this.#start, position - this.#start + length)
      done(null)
      return
    }
    this.#fill(position, length).then(
      () => {
        const copied = this.#window.copy(buffer, offset, position - this.#start, position - this.#start + length)
        done(copied < length ? archiveDamaged('it ends too early') : null)
      },
      (error: Error) => done(error),
    )
  }

  async #fill(position: number, length: number): Promise<void> {
    const window = Buffer.allocUnsafe(Math.max(length, 256 * 1024))
    const { bytesRead } = await this.#file.read(window, 0, window.length, position)
    this.#window = window.subarray(0, bytesRead)
    this.#start = position
  }
}
