import { Refusal } from '@innkeeper/contract/refusals'
import { diskTroubleOf } from '../../files/error-code.ts'
import { Declined } from '../session/operations.ts'
import { Malformed, type Status, statuses } from './wire.ts'

/** How a request is refused. */
export interface AnswerWords {
  readonly status: Status
  readonly words: string
}

/** What a client hears of an error; `undefined` for one that is ours. */
export function wordsFor(error: unknown): AnswerWords | undefined {
  if (error instanceof Declined) return { status: error.status, words: error.message }
  if (error instanceof Malformed) return { status: statuses.badMessage, words: error.message }
  if (error instanceof Refusal) return { status: statusOf(error), words: error.message }
  const reason = diskTroubleOf(error)
  return reason === undefined
    ? undefined
    : { status: statuses.failure, words: new Refusal('ErrDisk', { reason }).message }
}

function statusOf({ code }: Refusal): Status {
  if (code === 'ErrFileNotFound') return statuses.noSuchFile
  if (code === 'ErrIllegalFileAccess' || code === 'ErrMissingScope') return statuses.permissionDenied
  return statuses.failure
}
