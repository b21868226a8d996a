import { readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { problemOf } from '../threads/problem.ts'
import { stepBack } from '../threads/step-back.ts'
import { blockBytes } from './block-memory.ts'
import type { Deflated, Effort, ToDeflate } from './deflate-threads.ts'
import { isDense } from './dense.ts'

/** So much larger than with the first effort may be what a lesser one gives. */
const worth = 1.025

/** What comes of a block at most: what cannot be packed grows by five bytes in 64 KiB. */
const pieceBytes = blockBytes + 1024

const memory = workerData as SharedArrayBuffer

stepBack()
parentPort?.on('message', (wanted: ToDeflate) => parentPort?.postMessage(answer(wanted)))

function answer(wanted: ToDeflate): Deflated {
  try {
    return deflated(wanted)
  } catch (error) {
    return { problem: problemOf(error) }
  }
}

/** What comes of the bytes takes their place in the shared memory, when it is shorter. */
function deflated({ place, length, fd, efforts }: ToDeflate): Deflated {
  const room = new Uint8Array(memory, place * blockBytes, length)
  const bytes = fd === undefined ? room : room.subarray(0, fill(room, fd))
  const size = bytes.length
  const crc = fd === undefined ? 0 : crc32(bytes)
  let [effort, ...lesser] = efforts
  if (size === 0 || isDense(bytes)) return { size, crc, packed: undefined, effort }
  let packed = deflate(bytes, effort)
  const enough = packed.length * worth
  for (const next of lesser) {
    const other = deflate(bytes, next)
    const isEnough = other.length <= enough
    free(isEnough ? packed : other)
    if (isEnough) [effort, packed] = [next, other]
  }
  const { length: shrunk } = packed
  if (shrunk < size) bytes.set(packed)
  free(packed)
  return { size, crc, packed: shrunk < size ? shrunk : undefined, effort }
}

/** Of a block it is in memory of its own, because it is made in one piece. */
function deflate(bytes: Uint8Array, effort: Effort): Buffer {
  return deflateRawSync(bytes, {
    ...effort,
    // A larger table finds the same in less time.
    memLevel: 9,
    chunkSize: pieceBytes,
    // It ends where a byte does, and more can follow.
    finishFlush: constants.Z_SYNC_FLUSH,
  })
}

/** Lets go of it at once: V8 would look through all of its own memory many times a second to find it. */
function free({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

function fill(room: Uint8Array, fd: number): number {
  let filled = 0
  while (filled < room.length) {
    const read = readSync(fd, room, filled, room.length - filled, filled)
    if (read === 0) break
    filled += read
  }
  return filled
}
