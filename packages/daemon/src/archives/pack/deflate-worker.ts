import { parentPort, workerData } from 'node:worker_threads'
import { giveWay, stepBack } from '../../workers/step-back.ts'
import { BlockDeflater } from './block-deflater.ts'
import type { Deflated, ToDeflate } from './deflate-job.ts'

const deflater = new BlockDeflater(workerData as SharedArrayBuffer)

// What is copied for us is let go of at once, which memory that many share cannot be.
Buffer.poolSize = 0
stepBack()
parentPort?.on('message', (wanted: ToDeflate) => parentPort?.postMessage(answer(wanted)))

function answer(wanted: ToDeflate): Deflated {
  const answering = deflater.answer(wanted)
  let step = answering.next()
  for (; !step.done; step = answering.next()) giveWay()
  return step.value
}
