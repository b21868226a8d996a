import { readSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { codeOf } from '../files/error-code.ts'
import { blockBytes } from './block-memory.ts'
import type { Deflated, Effort, ToDeflate } from './deflate-threads.ts'
import { isDense } from './dense.ts'

/** A thread has a priority of its own on Linux: programs of servers, and all else that the node does, go first. */
const stepBack = 10

/** So much larger than with the first effort may be what a lesser one gives. */
const worth = 1.025

const memory = workerData as SharedArrayBuffer

setPriority(Math.min(19, getPriority() + stepBack))
parentPort?.on('message', (wanted: ToDeflate) => parentPort?.postMessage(answer(wanted)))

function answer(wanted: ToDeflate): Deflated {
  try {
    return deflated(wanted)
  } catch (error) {
    // An error that is sent loses its code.
    return { problem: { message: error instanceof Error ? error.message : String(error), code: codeOf(error) } }
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
    const shorter = deflate(bytes, next)
    if (shorter.length <= enough) [effort, packed] = [next, shorter]
  }
  if (packed.length >= size) return { size, crc, packed: undefined, effort }
  bytes.set(packed)
  return { size, crc, packed: packed.length, effort }
}

function deflate(bytes: Uint8Array, effort: Effort): Buffer {
  // It ends where a byte does, and more can follow. A larger table finds the same in less time.
  return deflateRawSync(bytes, { ...effort, memLevel: 9, finishFlush: constants.Z_SYNC_FLUSH })
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
