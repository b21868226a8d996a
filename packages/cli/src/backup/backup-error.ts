/** A backup cannot be made or restored; the message has the reason, and nothing was changed. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
