import { parentPort } from 'node:worker_threads'
import { constants, deflateRawSync } from 'node:zlib'
import { lowerPriority } from '../../workers/thread-priority.ts'
import type { Deflated, DeflateRequest, Effort } from './deflate-job.ts'
import { looksCompressed } from './looks-compressed.ts'

/** A result of a lesser effort may be larger than that of the first by this factor. */
const acceptableGrowth = 1.025

/** Maximum growth of an incompressible block. */
const maxGrowthBytes = 1024

lowerPriority()
parentPort?.on('message', (request: DeflateRequest) => {
  const response = compress(request)
  parentPort?.postMessage(response, [response.bytes.buffer as ArrayBuffer])
})

function compress({ bytes, efforts: [first, ...lesser] }: DeflateRequest): Deflated {
  const original = { bytes, isDeflated: false, effort: first }
  if (looksCompressed(bytes)) return original
  let [packed, effort] = [deflate(bytes, first), first]
  const enough = packed.length * acceptableGrowth
  for (const next of lesser) {
    const candidate = deflate(bytes, next)
    if (candidate.length <= enough) [packed, effort] = [candidate, next]
  }
  if (packed.length >= bytes.length) return { ...original, effort }
  // Copied, because the memory of Node's buffer pool cannot be transferred.
  return { bytes: new Uint8Array(packed), isDeflated: true, effort }
}

function deflate(bytes: Uint8Array, effort: Effort): Buffer {
  return deflateRawSync(bytes, {
    ...effort,
    // A larger hash table finds the same matches in less time.
    memLevel: 9,
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: bytes.length + maxGrowthBytes,
  })
}
