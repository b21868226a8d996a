import type { Progress } from '../../files/tree/progress.ts'
import { type ArchivePiece, readSmallFile } from './archive-pieces.ts'
import { releaseBlock } from './block-memory.ts'
import { blocksAhead } from './deflate.ts'
import { orderedMap } from './ordered-map.ts'
import { tarEnd, tarHeader, tarPadding } from './tar-format.ts'

type ReadyPiece = { readonly piece: ArchivePiece; readonly bytes?: Buffer }

/** The bytes of a tar file. */
export async function* tarOf(pieces: AsyncIterable<ArchivePiece>, progress: Progress): AsyncGenerator<Uint8Array> {
  let large = { size: 0, written: 0 }

  const ready = orderedMap(pieces, blocksAhead, async (piece): Promise<ReadyPiece> => {
    const bytes = piece.is === 'file' ? await readSmallFile(piece.item, progress) : undefined
    return bytes ? { piece, bytes } : { piece }
  })
  for await (const { piece, bytes } of ready) {
    if (piece.is === 'folder') {
      yield headerOf(piece, 0)
      progress.entries++
    } else if (piece.is === 'file' && bytes) {
      const entry = Buffer.concat([headerOf(piece, bytes.length), bytes, tarPadding(bytes.length)])
      releaseBlock(bytes)
      yield entry
      progress.entries++
      progress.bytes += bytes.length
    } else if (piece.is === 'start') {
      large = { size: piece.size, written: 0 }
      yield headerOf(piece, piece.size)
    } else if (piece.is === 'block') {
      yield piece.bytes
      large.written += piece.bytes.length
      progress.bytes += piece.bytes.length
      if (!piece.isLast) continue
      yield* zeros(large.size - large.written)
      yield tarPadding(large.size)
      progress.entries++
    }
  }
  yield tarEnd
}

function headerOf({ is, item: { name, info } }: Exclude<ArchivePiece, { is: 'block' }>, size: number): Buffer {
  return tarHeader({ name, modified: info.modified, mode: info.mode, isFolder: is === 'folder', size })
}

/** Replaces bytes that a file has lost since its size was written. */
function* zeros(count: number): Generator<Uint8Array> {
  for (let left = count; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536))
}
