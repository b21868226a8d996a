import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { limits } from '@innkeeper/contract/limits'
import { CacheHeuristic } from './cache-heuristic.ts'

interface Range {
  readonly start?: number
  /** The first byte that is not wanted any more. */
  readonly end?: number
  readonly signal?: AbortSignal
}

/**
 * What is read at a time without a thread: little enough to be still at hand when it is sent, and to go into one buffer of
 * the panel (`relayReadBytes`). For the socket of the local node it is just what Linux takes at one go: it keeps parts of
 * 36,544 bytes there (32 KiB and what is left of a page) until they exceed 208 KiB. Of any other amount a rest is refused.
 */
const syncReadBytes = 6 * 36_544
/** What takes no longer than this was in memory. */
const [fastSyncMs, fastMs] = [0.5, 2]

/**
 * The bytes of a file, in large chunks, the next of which is read while one is on its way. Closes the file at its end.
 *
 * A chunk is good until the next one is asked for: its memory is used again. That suits every consumer that heeds
 * backpressure and holds back less than a chunk (`pipe`, `pipeline`, `for await`); one that keeps chunks must copy them.
 */
export function bytesOf(file: FileHandle, { start = 0, end = Number.POSITIVE_INFINITY, signal }: Range = {}): Readable {
  const buffers: Buffer[] = []
  let turn = 0
  let position = start
  let reading: Promise<unknown> = Promise.resolve()
  let syncIo: CacheHeuristic | undefined

  /** Fills a buffer; only the last one is not full, so that a consumer is never quick enough to take two at a time. */
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

  function fillSync(buffer: Buffer): Buffer {
    let length = 0
    while (length < buffer.length) {
      const bytesRead = readSync(file.fd, buffer, length, buffer.length - length, position)
      if (bytesRead === 0) break
      length += bytesRead
      position += bytesRead
    }
    return buffer.subarray(0, length)
  }

  async function next(buffer: Buffer, isHere: boolean): Promise<Buffer> {
    const from = performance.now()
    const bytes = isHere ? fillSync(buffer) : await fill(buffer)
    const wasQuick = performance.now() - from <= (isHere ? fastSyncMs : fastMs)
    if (position < end && bytes.length === buffer.length) {
      syncIo ??= await CacheHeuristic.of(`/proc/self/fd/${file.fd}`)
      syncIo.record(wasQuick)
    }
    return bytes
  }

  return new Readable({
    highWaterMark: 1,
    ...(signal ? { signal } : {}),
    read() {
      turn = 1 - turn
      const isHere = syncIo?.mayBlock ?? false
      const size = Math.max(0, Math.min(isHere ? syncReadBytes : limits.fileReadBytes, end - position))
      const known = buffers[turn]
      const buffer = known && known.length >= size ? known : Buffer.allocUnsafeSlow(size)
      buffers[turn] = buffer
      reading = next(buffer.subarray(0, size), isHere).then(
        (bytes) => {
          if (bytes.length > 0) this.push(bytes)
          if (bytes.length < size || position >= end) this.push(null)
        },
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      // A descriptor that is being read must not be closed: its number may be another file's by then.
      void reading
        .then(() => file.close())
        .then(
          () => done(error),
          (cause: Error) => done(error ?? cause),
        )
    },
  })
}
