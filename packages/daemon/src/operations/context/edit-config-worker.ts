import { parentPort } from 'node:worker_threads'
import { editConfig } from '../../config-files/edit-config.ts'
import { answerOf } from '../../workers/deadline-worker.ts'
import type { EditRequest } from './config-worker.ts'

/** The worker of an `editconfig` step. */
parentPort?.on('message', ({ format, text, changes, isUnicode }: EditRequest) =>
  parentPort?.postMessage(answerOf(() => editConfig(format, text, changes, isUnicode))),
)
