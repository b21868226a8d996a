import type { FileHandle } from 'node:fs/promises'
import { createZstdDecompress } from 'node:zlib'
import { archiveDamaged } from '../formats/archive-errors.ts'
import { readExactly, readRange } from './file-range.ts'
import { pipeThrough } from './pipe-through.ts'

const frameStart = 0xfd2f_b528
const skippedStart = 0x184d_2a50

/** Decompresses a .zst file, frame by frame: Node's decoder handles one frame. */
export async function* decompressZstd(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
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
