import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { ZipFile } from 'yazl'
import type { Progress } from '../../files/tree/progress.ts'
import { archiveTooLarge } from '../formats/archive-errors.ts'
import { type ArchiveItem, type ArchivePiece, blockBytes, readContent } from './archive-pieces.ts'
import { looksCompressed } from './looks-compressed.ts'

/** For each entry, yazl needs about 1 KiB of memory and looks through all before it. */
const maxZipEntries = 200_000
/** Content that yazl compresses in threads, and keeps in memory until the end. Further files are streamed one by one. */
const maxConcurrentBytes = 32 * 1024 * 1024

interface Zip {
  readonly file: ZipFile
  readonly output: PassThrough
  readonly signal: AbortSignal
}

/** The bytes of a zip file, streamed without knowing sizes in advance. Throws ErrArchiveTooLarge. */
export async function* packZip(
  pieces: AsyncIterableIterator<ArchivePiece>,
  progress: Progress,
  maxEntries = maxZipEntries,
): AsyncGenerator<Uint8Array> {
  const stop = new AbortController()
  const output = new PassThrough({ highWaterMark: blockBytes })
  const zip: Zip = { file: new ZipFile(), output, signal: stop.signal }
  zip.file.outputStream.pipe(output)
  const adding = addEntries(zip, pieces, progress, maxEntries)
  // The reader gets the error from the stream.
  adding.catch((error: Error) => output.destroy(error))
  try {
    yield* output as AsyncIterable<Uint8Array>
  } finally {
    stop.abort()
    await adding.catch(() => {})
  }
}

async function addEntries(
  zip: Zip,
  pieces: AsyncIterableIterator<ArchivePiece>,
  progress: Progress,
  maxEntries: number,
): Promise<void> {
  let entries = 0
  let concurrentBytes = 0
  for await (const piece of pieces) {
    // A block is here only when its file was skipped.
    if (piece.type === 'block') continue
    const { item } = piece
    // yazl turns backslashes into slashes, which names another file.
    if (item.name.includes('\\')) {
      progress.skip(item.name)
      continue
    }
    if (++entries > maxEntries) throw archiveTooLarge('the number of entries')
    // yazl takes entries although nobody reads its output, which fills up between turns of the event loop.
    await setImmediate()
    if (zip.output.writableNeedDrain) await once(zip.output, 'drain', { signal: zip.signal })
    switch (piece.type) {
      case 'folder':
        zip.file.addEmptyDirectory(getName(item), getMetadata(item, fileTypes.folder))
        break
      case 'link': {
        const target = Buffer.from(item.target ?? '')
        zip.file.addBuffer(target, getName(item), { ...getMetadata(item, fileTypes.link), compress: false })
        break
      }
      case 'file':
        concurrentBytes += piece.bytes.length
        await addSmallFile(zip, item, piece.bytes, concurrentBytes <= maxConcurrentBytes)
        progress.bytes += piece.bytes.length
        break
      case 'start':
        await addFile(zip, item, readContent(pieces, progress), !piece.isCompressed)
    }
    progress.entries++
  }
  zip.file.end()
}

async function addSmallFile(zip: Zip, item: ArchiveItem, bytes: Uint8Array, isConcurrent: boolean): Promise<void> {
  const compress = !looksCompressed(bytes)
  if (!isConcurrent) return await addFile(zip, item, [bytes], compress)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  zip.file.addBuffer(buffer, getName(item), { ...getMetadata(item, fileTypes.file), compress })
}

/** Waits until yazl has read the content. */
async function addFile(
  { file, signal }: Zip,
  item: ArchiveItem,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  compress: boolean,
): Promise<void> {
  let source: Readable | undefined = Readable.from(content, { signal })
  const read = finished(source)
  file.addReadStreamLazy(getName(item), { ...getMetadata(item, fileTypes.file), compress }, (answer) => {
    if (source) answer(undefined, source)
    // yazl keeps this function until the end, which must not keep the content.
    source = undefined
  })
  await read
}

/** Like `S_IFREG` and others in inode(7). */
const fileTypes = { file: 0o100000, folder: 0o040000, link: 0o120000 }

function getMetadata({ info }: ArchiveItem, fileType: number): { readonly mode: number; readonly mtime: Date } {
  // yazl has no room for times before 1970.
  return { mode: fileType | info.mode, mtime: new Date(Math.max(info.modified.getTime(), 0)) }
}

/** yazl rejects names that begin like a drive of Windows. */
function getName({ name }: ArchiveItem): string {
  return /^[A-Za-z]:/.test(name) ? `./${name}` : name
}
