import { readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import { problemOf } from '../threads/problem.ts'
import { stepBack } from '../threads/step-back.ts'
import { blockBytes } from './block-memory.ts'
import type { Deflated, ToDeflate } from './deflate-threads.ts'
import { Deflater } from './deflater.ts'
import { isDense } from './dense.ts'

/** So much larger than with the first effort may be what a lesser one gives. */
const worth = 1.025

const memory = workerData as SharedArrayBuffer
const deflater = new Deflater()

// What is copied for us is let go of at once, which memory that many share cannot be.
Buffer.poolSize = 0
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
  let packed = deflater.deflate(bytes, effort)
  const enough = packed.length * worth
  for (const next of lesser) {
    const other = deflater.deflate(bytes, next)
    if (other.length <= enough) [effort, packed] = [next, other]
  }
  const isShorter = packed.length < size
  if (isShorter) bytes.set(packed)
  return { size, crc, packed: isShorter ? packed.length : undefined, effort }
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
