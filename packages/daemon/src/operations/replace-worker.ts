import { parentPort } from 'node:worker_threads'
import type { ReplaceRequest, ReplaceResult } from './replace.ts'

/** The worker of `RegexWorker`, which terminates it. */
parentPort?.on('message', (replacing: ReplaceRequest) => parentPort?.postMessage(replaced(replacing)))

function replaced({ text, pattern, replacement, maxLength }: ReplaceRequest): ReplaceResult {
  let grown = text.length
  try {
    const after = text.replace(new RegExp(pattern.source, pattern.flags), (found) => {
      grown += replacement.length - found.length
      if (grown > maxLength) throw new Error('the file would become too large')
      return replacement
    })
    return { text: after }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
