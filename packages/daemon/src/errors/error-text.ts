import { errorMessage } from '@innkeeper/contract/errors/error-message'
import { displayedText } from '@innkeeper/contract/errors/one-line'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { findDiskError, getCode } from './error-code.ts'

/** Longer texts, such as the output of a program, are truncated. */
const maxChars = 1_000

/** The reason of a failure for the users of a server, on one line and without paths of the node. */
export function errorText(error: unknown): string {
  if (error instanceof Refusal && error.metadata.path !== undefined) return `${error.message}: ${error.metadata.path}`
  return findDiskError(error) ?? displayedText(withoutPath(error), maxChars)
}

/** System calls name their path on the node: `ENOENT: no such file or directory, open '/…'`. */
function withoutPath(error: unknown): string {
  const message = errorMessage(error)
  if (getCode(error) === '' || !(error instanceof Error && 'syscall' in error)) return message
  const end = message.indexOf(`, ${String(error.syscall)}`)
  return end < 0 ? message : message.slice(0, end)
}
