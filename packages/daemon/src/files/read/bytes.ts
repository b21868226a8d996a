import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

/** Size of a read of a file. */
export const readChunkBytes = 512 * 1024

interface Range {
  readonly start?: number
  /** Offset after the last byte to read. */
  readonly end?: number
  readonly signal?: AbortSignal
}

/**
 * Reads a file in large chunks, with the next read in progress while one is sent. Closes the file at its end. A chunk
 * is valid until the next one is requested: its memory is reused. This suits consumers that respect backpressure and
 * buffer less than a chunk (`pipe`, `pipeline`, `for await`); others must copy chunks.
 */
export function getBytes(
  file: FileHandle,
  { start = 0, end = Number.POSITIVE_INFINITY, signal }: Range = {},
): Readable {
  const buffers: Buffer[] = []
  let turn = 0
  let position = start
  let reading: Promise<unknown> = Promise.resolve()

  /** Fills a buffer. Only the last one is partial, so that a consumer never buffers two chunks. */
  async function fill(buffer: Buffer): Promise<Buffer> {
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, position)
      if (bytesRead === 0) break
      length += bytesRead
      position += bytesRead
    }
    return buffer.subarray(0, length)
  }

  return new Readable({
    highWaterMark: 1,
    ...(signal ? { signal } : {}),
    read() {
      turn = 1 - turn
      const size = Math.max(0, Math.min(readChunkBytes, end - position))
      const known = buffers[turn]
      const buffer = known && known.length >= size ? known : Buffer.allocUnsafeSlow(size)
      buffers[turn] = buffer
      reading = fill(buffer.subarray(0, size)).then(
        (bytes) => {
          if (bytes.length > 0) this.push(bytes)
          if (bytes.length < size || position >= end) this.push(null)
        },
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      // A descriptor must not be closed during a read: its number may be reused.
      void reading
        .then(() => file.close())
        .then(
          () => done(error),
          (cause: Error) => done(error ?? cause),
        )
    },
  })
}
