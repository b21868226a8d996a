import { Refusal } from '@innkeeper/contract/errors/refusals'
import { findDiskError, getCode } from '../../errors/error-code.ts'

/** Maximum number of directories above an entry of an archive. */
export const maxArchiveDepth = 100
/** How long packing or unpacking may take. */
export const archiveTimeoutMs = 6 * 60 * 60 * 1000

/** The error for an archive that is damaged or cannot be opened. */
export function archiveDamaged(reason: string, cause?: unknown): Refusal {
  return new Refusal('ErrArchiveDamaged', { reason }, { cause })
}

export function archiveTooLarge(limit: string): Refusal {
  return new Refusal('ErrArchiveTooLarge', { limit })
}

/** Turns the errors of decoders into ErrArchiveDamaged; disk errors and aborts stay as they are. */
export function toArchiveError(error: unknown): unknown {
  if (error instanceof Refusal || findDiskError(error) !== undefined) return error
  if (!(error instanceof Error) || error.name === 'AbortError' || error.name === 'TimeoutError') return error
  return archiveDamaged(reasons[getCode(error)] ?? sanitized(error.message), error)
}

const reasons: Readonly<Record<string, string>> = {
  Z_BUF_ERROR: 'it ends too early',
  Z_DATA_ERROR: 'its content cannot be unpacked',
  ERR_BUFFER_TOO_LARGE: 'a file in it is larger than its header says',
}

const sanitized = (message: string) => message.replace(/[\x00-\x1f\x7f]+/g, ' ').slice(0, 200)

/** Yields the same items; errors of a decoder become ErrArchiveDamaged. */
export async function* withArchiveErrors<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source
  } catch (error) {
    throw toArchiveError(error)
  }
}
