import { Refusal } from '@innkeeper/contract/errors/refusals'
import { findDiskError } from '../../errors/error-code.ts'
import { ProtocolError, type Status, statuses } from './wire.ts'

/** An expected error with an SFTP status. */
export class SftpStatusError extends Error {
  override readonly name = 'SftpStatusError'
  readonly status: Status

  constructor(status: Status, words: string) {
    super(words)
    this.status = status
  }
}

/** The SFTP status of a failed request. */
interface StatusResponse {
  readonly status: Status
  readonly message: string
}

/** The status for an expected error; undefined for a fault. */
export function statusForError(error: unknown): StatusResponse | undefined {
  if (error instanceof SftpStatusError) return { status: error.status, message: error.message }
  if (error instanceof ProtocolError) return { status: statuses.badMessage, message: error.message }
  if (error instanceof Refusal) return { status: getStatus(error), message: error.message }
  const reason = findDiskError(error)
  return reason === undefined
    ? undefined
    : { status: statuses.failure, message: new Refusal('ErrDisk', { reason }).message }
}

function getStatus({ code }: Refusal): Status {
  if (code === 'ErrFileNotFound') return statuses.noSuchFile
  if (['ErrIllegalFileAccess', 'ErrFileDenied', 'ErrMissingScope'].includes(code)) return statuses.permissionDenied
  return statuses.failure
}
