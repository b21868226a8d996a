import type { FileHandle } from 'node:fs/promises'
import { archiveDamaged } from './archive-errors.ts'

const chunkBytes = 256 * 1024

/** The bytes of a part of an open file, each chunk in memory of its own. The file stays open. */
export async function* rangeOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Exactly these bytes of a file. */
export async function readExactly(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, start + filled)
    if (bytesRead === 0) throw archiveDamaged('it ends too early')
    filled += bytesRead
  }
  return buffer
}
