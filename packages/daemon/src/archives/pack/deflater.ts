import { constants, type ZlibOptions } from 'node:zlib'
import { DeflateRaw } from 'minizlib'
import { blockBytes } from './block-memory.ts'
import type { Effort } from './deflate-job.ts'

/** So much is deflated at a time: about a millisecond of work. */
const pieceBytes = 64 * 1024
/** More than what cannot be packed grows by: five bytes in each 16 KiB, and as many where a piece ends. */
const maxGrowthBytes = 1024

/**
 * Deflates blocks in this thread, each for itself, and pauses between pieces of them. For each effort it keeps one
 * stream of zlib. A new one for every piece would have to be told again what stands before it, and that would stay in
 * memory until V8 looks for garbage.
 */
export class Deflater {
  readonly #streams = new Map<string, BlockStream>();

  /**
   * What comes of at most a block of bytes; it ends where a byte does, so that more can follow. Good until the next call
   * with this effort. Pauses after each piece, and is to be gone on with before the next call.
   */
  *deflate(bytes: Uint8Array, effort: Effort): Generator<void, Uint8Array> {
    const key = `${effort.level} ${effort.windowBits}`
    const stream = this.#streams.get(key) ?? new BlockStream(effort)
    // One that fails is not used again.
    this.#streams.delete(key)
    const packed = yield* stream.deflate(bytes)
    this.#streams.set(key, stream)
    return packed
  }
}

class BlockStream {
  readonly #stream: DeflateRaw
  readonly #packed = Buffer.allocUnsafeSlow(blockBytes + maxGrowthBytes)
  #length = 0

  constructor(effort: Effort) {
    const options: ZlibOptions = {
      ...effort,
      // A larger table finds the same in less time.
      memLevel: 9,
      flush: constants.Z_SYNC_FLUSH,
      chunkSize: pieceBytes + maxGrowthBytes,
    }
    this.#stream = new DeflateRaw(options)
    this.#stream.on('data', (part) => this.#take(part))
  }

  *deflate(bytes: Uint8Array): Generator<void, Uint8Array> {
    this.#length = 0
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      this.#stream.write(Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(pieceBytes, bytes.length - at)))
      yield
    }
    this.#stream.reset()
    return this.#packed.subarray(0, this.#length)
  }

  /** Comes while a piece is written. */
  #take(part: Buffer): void {
    this.#packed.set(part, this.#length)
    this.#length += part.length
  }
}
