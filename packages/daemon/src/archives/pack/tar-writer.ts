import { pipeline } from 'node:stream/promises'
import { type Pack, pack } from 'tar-stream'
import type { Progress } from '../../files/tree/progress.ts'
import { type ArchiveItem, type ArchivePiece, blockBytes, readContent } from './archive-pieces.ts'

type Header = Parameters<Pack['entry']>[0]

/** The bytes of a tar file. */
export async function* packTar(
  pieces: AsyncIterableIterator<ArchivePiece>,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  const tar = pack({ highWaterMark: blockBytes })
  const writing = writeEntries(tar, pieces, progress)
  // The reader gets the error from the stream.
  writing.catch((error: Error) => tar.destroy(error))
  try {
    yield* tar as AsyncIterable<Uint8Array>
  } finally {
    tar.destroy()
    await writing.catch(() => {})
  }
}

async function writeEntries(tar: Pack, pieces: AsyncIterableIterator<ArchivePiece>, progress: Progress): Promise<void> {
  for await (const piece of pieces) {
    if (piece.type === 'folder') {
      await writeEntry(tar, { ...getHeader(piece.item, 0), type: 'directory' }, new Uint8Array())
    } else if (piece.type === 'link') {
      const { target = '' } = piece.item
      await writeEntry(tar, { ...getHeader(piece.item, 0), type: 'symlink', linkname: target }, new Uint8Array())
    } else if (piece.type === 'file') {
      await writeEntry(tar, getHeader(piece.item, piece.bytes.length), piece.bytes)
      progress.bytes += piece.bytes.length
    } else if (piece.type === 'start') {
      const content = padded(readContent(pieces, progress), piece.size)
      await pipeline(content, tar.entry(getHeader(piece.item, piece.size)))
    } else continue
    progress.entries++
  }
  tar.finalize()
}

/** Writes an entry with its whole content. */
function writeEntry(tar: Pack, header: Header, content: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    tar.entry(header, content, (error) => (error ? reject(error) : resolve()))
  })
}

/** Zeros replace the bytes that a file has lost since its size was written. */
async function* padded(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let left = size
  for await (const bytes of content) {
    left -= bytes.length
    yield bytes
  }
  for (; left > 0; left -= zeros.length) yield zeros.subarray(0, left)
}

const zeros = Buffer.alloc(64 * 1024)

/** The file type in a mode: `S_IFREG` in inode(7). */
const regularFile = 0o100000
/** The largest time that every tar has room for, in seconds. */
const maxTime = 2 ** 31 - 1

function getHeader({ name, info: { mode, modified } }: ArchiveItem, size: number): Header {
  const seconds = Math.floor(modified.getTime() / 1000)
  const mtime = Math.min(Math.max(seconds, 0), maxTime)
  return {
    ...{ name, size, type: 'file', mtime: new Date(mtime * 1000) },
    // Without the bits of the type, tar-stream would replace a mode of 0.
    mode: mode | regularFile,
    ...(mtime !== seconds && { pax: { mtime: String(seconds) } }),
  }
}
