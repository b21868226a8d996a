import type { ConfigFileFormat } from '@innkeeper/contract/definitions/operations'
import type { ConfigChange } from '../../config-files/config-format.ts'
import type { ConfigEdit } from '../../config-files/edit-config.ts'
import { DeadlineWorker } from '../../workers/deadline-worker.ts'

/** What the worker does with a file. */
export interface EditRequest {
  readonly format: ConfigFileFormat
  readonly text: string
  readonly changes: readonly ConfigChange[]
  /** Whether the text is Unicode; otherwise it has one character per byte of an unknown encoding. */
  readonly isUnicode: boolean
}

/** Changes configuration files: parsing a malicious one takes minutes. */
export type ConfigWorker = DeadlineWorker<EditRequest, ConfigEdit>

export const createConfigWorker = (): ConfigWorker =>
  new DeadlineWorker(new URL('./edit-config-worker.ts', import.meta.url))
