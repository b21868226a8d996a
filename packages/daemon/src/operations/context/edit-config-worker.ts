import { parentPort } from 'node:worker_threads'
import { editConfig } from '../../config-files/edit-config.ts'
import { getAnswer } from '../../workers/deadline-worker.ts'
import type { EditRequest } from './config-worker.ts'

/** The worker of an `editconfig` step. */
parentPort?.on('message', ({ format, text, changes, isUnicode }: EditRequest) =>
  parentPort?.postMessage(getAnswer(() => editConfig(format, text, changes, isUnicode))),
)
