import type { Status } from './wire.ts'

/** An expected error with an SFTP status. */
export class SftpStatusError extends Error {
  override readonly name = 'SftpStatusError'
  readonly status: Status

  constructor(status: Status, words: string) {
    super(words)
    this.status = status
  }
}
