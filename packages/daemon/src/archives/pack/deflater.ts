import { constants, type ZlibOptions } from 'node:zlib'
import { DeflateRaw } from 'minizlib'
import { blockBytes } from './block-memory.ts'
import type { Effort } from './deflate-job.ts'

/** Compressed at a time: about a millisecond of work. */
const pieceBytes = 64 * 1024
/** Maximum growth of incompressible data: five bytes per 16 KiB, and at the end of each piece. */
const maxGrowthBytes = 1024

/**
 * Deflates independent blocks in the current thread and yields between pieces. Keeps one zlib stream per effort: a new
 * stream per piece would need the preceding data again and stay in memory until garbage collection.
 */
export class Deflater {
  readonly #streams = new Map<string, BlockStream>();

  /**
   * Compresses at most one block; the output ends at a byte boundary. Valid until the next call with this effort.
   * Yields after each piece; must be run to its end before the next call.
   */
  *deflate(bytes: Uint8Array, effort: Effort): Generator<void, Uint8Array> {
    const key = `${effort.level} ${effort.windowBits}`
    const stream = this.#streams.get(key) ?? new BlockStream(effort)
    // Not reused after a failure.
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
      // A larger hash table finds the same matches in less time.
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

  /** Called while a piece is written. */
  #take(part: Buffer): void {
    this.#packed.set(part, this.#length)
    this.#length += part.length
  }
}
