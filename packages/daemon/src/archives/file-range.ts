import type { FileHandle } from 'node:fs/promises'
import { free } from '../files/free.ts'
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

/** A part of a file in memory, for those who look at it now. */
interface Window {
  readonly start: number
  readonly memory: Buffer
  /** How much of the memory could be filled. */
  readonly filling: Promise<number>
  lookers: number
}

/**
 * Reads short parts of a file that mostly stand one behind the other: many of them with one read. Whoever jumps about in
 * it has each part read by itself.
 */
export class NearParts {
  readonly #file: FileHandle
  readonly #size: number
  #window: Window | undefined

  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#size = size
  }

  /** Acts on bytes of the file, fewer of them where it ends. They are only there until `act` has ended. */
  async with<T>(start: number, length: number, act: (bytes: Buffer) => Promise<T>): Promise<T> {
    const window = this.#over(start, length)
    window.lookers++
    try {
      const at = start - window.start
      return await act(window.memory.subarray(at, Math.min(at + length, await window.filling)))
    } finally {
      window.lookers--
      this.#letGo(window)
    }
  }

  #over(start: number, length: number): Window {
    const before = this.#window
    if (before && start >= before.start && start + length <= before.start + before.memory.length) return before
    const isNear = !before || (start >= before.start && start <= before.start + before.memory.length + chunkBytes)
    const end = Math.min(start + (isNear ? Math.max(length, chunkBytes) : length), this.#size)
    const memory = Buffer.allocUnsafeSlow(Math.max(end - start, 0))
    this.#window = { start, memory, filling: fill(this.#file, memory, start), lookers: 0 }
    if (before) this.#letGo(before)
    return this.#window
  }

  /** V8 would let it be until tens of MiB have gathered. */
  #letGo(window: Window): void {
    if (window !== this.#window && window.lookers === 0) free(window.memory)
  }
}

/** Exactly these bytes of a file. */
export async function readExactly(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  if ((await fill(file, buffer, start)) < length) throw archiveDamaged('it ends too early')
  return buffer
}

/** Reads as much as there is room for; says how much that was where the file ends before. */
async function fill(file: FileHandle, memory: Buffer, start: number): Promise<number> {
  let filled = 0
  while (filled < memory.length) {
    const { bytesRead } = await file.read(memory, filled, memory.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}
