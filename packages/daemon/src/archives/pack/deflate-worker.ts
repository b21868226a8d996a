import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority, yieldCpu } from '../../workers/thread-priority.ts'
import { BlockCompressor } from './block-compressor.ts'
import type { DeflateRequest, DeflateResponse } from './deflate-job.ts'

const deflater = new BlockCompressor(workerData as SharedArrayBuffer)

// Copied input is released immediately, which is not possible for shared memory.
Buffer.poolSize = 0
lowerPriority()
parentPort?.on('message', (request: DeflateRequest) => parentPort?.postMessage(response(request)))

function response(request: DeflateRequest): DeflateResponse {
  const answering = deflater.compress(request)
  let step = answering.next()
  for (; !step.done; step = answering.next()) yieldCpu()
  return step.value
}
