import type { FileHandle } from 'node:fs/promises'
import { archiveDamaged } from '../formats/archive-errors.ts'

const chunkBytes = 256 * 1024

/** The bytes of a range of an open file, in newly allocated chunks. The file stays open. */
export async function* readRange(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

interface Window {
  readonly start: number
  readonly bytes: Buffer
  /** Number of bytes that the file had. */
  readonly filled: Promise<number>
}

/** Reads short, mostly consecutive ranges of a file with few large reads. */
export class ReadWindow {
  readonly #file: FileHandle
  readonly #size: number
  #window: Window | undefined

  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#size = size
  }

  /** Returns a range of the file, shorter at its end. The caller must not change it. */
  async read(start: number, length: number): Promise<Buffer> {
    const window = this.#openWindow(start, length)
    const from = start - window.start
    return window.bytes.subarray(from, Math.min(from + length, await window.filled))
  }

  #openWindow(start: number, length: number): Window {
    const last = this.#window
    if (last && start >= last.start && start + length <= last.start + last.bytes.length) return last
    const isNear = !last || (start >= last.start && start <= last.start + last.bytes.length + chunkBytes)
    const end = Math.min(start + (isNear ? Math.max(length, chunkBytes) : length), this.#size)
    const bytes = Buffer.allocUnsafeSlow(Math.max(end - start, 0))
    this.#window = { start, bytes, filled: fill(this.#file, bytes, start) }
    return this.#window
  }
}

/** Reads exactly these bytes of a file. */
export async function readExactly(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  if ((await fill(file, buffer, start)) < length) throw archiveDamaged('it ends too early')
  return buffer
}

/** Fills the buffer. Returns the number of bytes, fewer at the end of the file. */
async function fill(file: FileHandle, memory: Buffer, start: number): Promise<number> {
  let filled = 0
  while (filled < memory.length) {
    const { bytesRead } = await file.read(memory, filled, memory.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}
