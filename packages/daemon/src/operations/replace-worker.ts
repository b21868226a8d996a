import { parentPort, workerData } from 'node:worker_threads'
import type { Replacing } from './replace.ts'

/** The thread of `replaceWithin`: whoever started it ends it. */
const { text, pattern, replacement, maxLength } = workerData as Replacing

let grown = text.length
const after = text.replace(new RegExp(pattern.source, pattern.flags), (found) => {
  grown += replacement.length - found.length
  if (grown > maxLength) throw new Error('the file would become too large')
  return replacement
})
parentPort?.postMessage(after)
