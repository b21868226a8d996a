import { Refusal } from '@innkeeper/contract/refusals'
import { diskTroubleOf } from '../../files/error-code.ts'
import { SftpStatusError } from '../session/operations.ts'
import { ProtocolError, type Status, statuses } from './wire.ts'

/** How a request is refused. */
export interface StatusResponse {
  readonly status: Status
  readonly message: string
}

/** What a client hears of an error; `undefined` for one that is ours. */
export function statusForError(error: unknown): StatusResponse | undefined {
  if (error instanceof SftpStatusError) return { status: error.status, message: error.message }
  if (error instanceof ProtocolError) return { status: statuses.badMessage, message: error.message }
  if (error instanceof Refusal) return { status: statusOf(error), message: error.message }
  const reason = diskTroubleOf(error)
  return reason === undefined
    ? undefined
    : { status: statuses.failure, message: new Refusal('ErrDisk', { reason }).message }
}

function statusOf({ code }: Refusal): Status {
  if (code === 'ErrFileNotFound') return statuses.noSuchFile
  if (code === 'ErrIllegalFileAccess' || code === 'ErrMissingScope') return statuses.permissionDenied
  return statuses.failure
}
