import { readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { serializeError } from '../../workers/serialized-error.ts'
import { blockBytes } from './block-memory.ts'
import type { DeflateRequest, DeflateResponse } from './deflate-job.ts'
import { Deflater } from './deflater.ts'
import { looksCompressed } from './looks-compressed.ts'

/** A result of a lesser effort may be larger than that of the first by this factor. */
const acceptableGrowth = 1.025

/** Deflates blocks in shared memory, in the current thread. */
export class BlockCompressor {
  readonly #memory: SharedArrayBuffer
  readonly #deflater = new Deflater()

  constructor(memory: SharedArrayBuffer) {
    this.#memory = memory
  }

  /** Yields about every millisecond. One request at a time. */
  *compress(request: DeflateRequest): Generator<void, DeflateResponse> {
    try {
      return yield* this.#compressed(request)
    } catch (error) {
      return { error: serializeError(error) }
    }
  }

  /** The output replaces the input when it is shorter. */
  *#compressed({ slot, length, fd, efforts }: DeflateRequest): Generator<void, DeflateResponse> {
    const buffer = new Uint8Array(this.#memory, slot * blockBytes, length)
    const bytes = fd === undefined ? buffer : buffer.subarray(0, fill(buffer, fd))
    const size = bytes.length
    const crc = fd === undefined ? 0 : crc32(bytes)
    let [effort, ...lesser] = efforts
    if (size === 0 || looksCompressed(bytes)) return { size, crc, packed: undefined, effort }
    let packed = yield* this.#deflater.deflate(bytes, effort)
    const enough = packed.length * acceptableGrowth
    for (const next of lesser) {
      const other = yield* this.#deflater.deflate(bytes, next)
      if (other.length <= enough) [effort, packed] = [next, other]
    }
    const isShorter = packed.length < size
    if (isShorter) bytes.set(packed)
    return { size, crc, packed: isShorter ? packed.length : undefined, effort }
  }
}

function fill(buffer: Uint8Array, fd: number): number {
  let filled = 0
  while (filled < buffer.length) {
    const read = readSync(fd, buffer, filled, buffer.length - filled, filled)
    if (read === 0) break
    filled += read
  }
  return filled
}
