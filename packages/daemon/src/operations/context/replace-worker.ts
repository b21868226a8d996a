import { parentPort } from 'node:worker_threads'
import { getAnswer } from '../../workers/deadline-worker.ts'
import type { ReplaceRequest } from './replace.ts'

/** The worker of `RegexWorker`, which terminates it. */
parentPort?.on('message', (request: ReplaceRequest) => parentPort?.postMessage(getAnswer(() => replace(request))))

function replace({ text, pattern, replacement, maxLength }: ReplaceRequest): string {
  let grown = text.length
  return text.replace(new RegExp(pattern.source, pattern.flags), (found) => {
    grown += replacement.length - found.length
    if (grown > maxLength) throw new Error('the file would become too large')
    return replacement
  })
}
