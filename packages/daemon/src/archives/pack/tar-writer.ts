import { pipeline } from 'node:stream/promises'
import { type Pack, pack } from 'tar-stream'
import type { Progress } from '../../files/tree/progress.ts'
import { type ArchiveItem, type ArchivePiece, blockBytes, readSmallFile } from './archive-pieces.ts'
import { blocksAhead } from './deflate.ts'
import { orderedMap } from './ordered-map.ts'

type Header = Parameters<Pack['entry']>[0]
type ReadyPiece = { readonly piece: ArchivePiece; readonly bytes?: Buffer }

/** The bytes of a tar file. */
export async function* packTar(pieces: AsyncIterable<ArchivePiece>, progress: Progress): AsyncGenerator<Uint8Array> {
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

async function writeEntries(tar: Pack, pieces: AsyncIterable<ArchivePiece>, progress: Progress): Promise<void> {
  const ready = orderedMap(pieces, blocksAhead, async (piece): Promise<ReadyPiece> => {
    const bytes = piece.is === 'file' ? await readSmallFile(piece.item, progress) : undefined
    return bytes ? { piece, bytes } : { piece }
  })
  for await (const { piece, bytes } of ready) {
    if (piece.is === 'folder') {
      await writeEntry(tar, { ...headerOf(piece.item, 0), type: 'directory' }, new Uint8Array())
    } else if (piece.is === 'link') {
      const { target = '' } = piece.item
      await writeEntry(tar, { ...headerOf(piece.item, 0), type: 'symlink', linkname: target }, new Uint8Array())
    } else if (piece.is === 'file' && bytes) {
      await writeEntry(tar, headerOf(piece.item, bytes.length), bytes)
      progress.bytes += bytes.length
    } else if (piece.is === 'start') {
      await pipeline(contentOf(ready, piece.size, progress), tar.entry(headerOf(piece.item, piece.size)))
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

/** The blocks of a large file. Zeros replace bytes that it has lost since its size was written. */
async function* contentOf(
  ready: AsyncIterator<ReadyPiece>,
  size: number,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  let left = size
  for (let isLast = false; !isLast; ) {
    const { value, done } = await ready.next()
    if (done || value.piece.is !== 'block') break
    const { bytes } = value.piece
    isLast = value.piece.isLast
    left -= bytes.length
    progress.bytes += bytes.length
    yield bytes
  }
  for (; left > 0; left -= zeros.length) yield zeros.subarray(0, left)
}

const zeros = Buffer.alloc(64 * 1024)

/** The file type in a mode: `S_IFREG` in inode(7). */
const regularFile = 0o100000
/** The largest time that every tar has room for, in seconds. */
const maxTime = 2 ** 31 - 1

function headerOf({ name, info: { mode, modified } }: ArchiveItem, size: number): Header {
  const seconds = Math.floor(modified.getTime() / 1000)
  const mtime = Math.min(Math.max(seconds, 0), maxTime)
  return {
    ...{ name, size, type: 'file', mtime: new Date(mtime * 1000) },
    // Without the bits of the type, tar-stream would replace a mode of 0.
    mode: mode | regularFile,
    ...(mtime !== seconds && { pax: { mtime: String(seconds) } }),
  }
}
