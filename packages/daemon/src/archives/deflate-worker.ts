import { readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { problemOf } from '../threads/problem.ts'
import { giveWay, stepBack } from '../threads/step-back.ts'
import { blockBytes } from './block-memory.ts'
import type { Deflated, Effort, ToDeflate } from './deflate-threads.ts'
import { isDense } from './dense.ts'

/** So much larger than with the first effort may be what a lesser one gives. */
const worth = 1.025

/** So much is deflated at a time: about a millisecond of work. */
const pieceBytes = 64 * 1024
/** More than comes of a piece: what cannot be packed grows by five bytes in each 32 KiB. */
const packedBytes = pieceBytes + 256
/** So far back deflating looks for what was there before. */
const windowBytes = 32 * 1024

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
  const enough = sizeOf(packed) * worth
  for (const next of lesser) {
    const other = deflate(bytes, next)
    const isEnough = sizeOf(other) <= enough
    free(isEnough ? packed : other)
    if (isEnough) [effort, packed] = [next, other]
  }
  const shrunk = sizeOf(packed)
  if (shrunk < size) {
    let at = 0
    for (const piece of packed) {
      bytes.set(piece, at)
      at += piece.length
    }
  }
  free(packed)
  return { size, crc, packed: shrunk < size ? shrunk : undefined, effort }
}

/** In pieces that know what stands before them, and end where a byte does, so that more can follow. */
function deflate(bytes: Uint8Array, effort: Effort): Buffer[] {
  const packed: Buffer[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = deflateRawSync(bytes.subarray(at, at + pieceBytes), {
      ...effort,
      ...(at > 0 && { dictionary: bytes.subarray(at - windowBytes, at) }),
      // A larger table finds the same in less time.
      memLevel: 9,
      // It is in memory of its own, because it is made in one go.
      chunkSize: packedBytes,
      finishFlush: constants.Z_SYNC_FLUSH,
    })
    packed.push(piece)
    giveWay()
  }
  return packed
}

const sizeOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** Lets go of them at once: V8 would look through all of its own memory many times a second to find them. */
function free(pieces: readonly Buffer[]): void {
  for (const { buffer } of pieces) if (buffer instanceof ArrayBuffer) buffer.transfer(0)
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
