import type { reasons } from '@innkeeper/contract/errors/reasons'

/** A type only: the keeper runs this file, and imports no other package. */
type Reasons = typeof reasons

/** Linux errno values without a name in Node.js. */
const unnamed: Readonly<Record<string, string>> = { 'Unknown system error -122': 'EDQUOT' }

/** Returns the errno name of an error, such as `ENOENT`; an empty string when it has none. */
export function getCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return unnamed[code] ?? code
}

/** Returns a handler of rejections that ignores these errno names: `await rmdir(path).catch(ignoreErrors('ENOENT'))`. */
export function ignoreErrors(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(getCode(error))) throw error
  }
}

const messages: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full' satisfies Reasons['diskFull'],
  EDQUOT: 'the disk quota is exceeded' satisfies Reasons['diskQuota'],
  EIO: 'the disk reports an I/O error' satisfies Reasons['diskFailed'],
  EROFS: 'the disk is read-only' satisfies Reasons['diskReadOnly'],
  EMFILE: 'too many files are open' satisfies Reasons['tooManyFiles'],
  ENFILE: 'too many files are open on this host',
  EACCES: 'Innkeeper may not change this file' satisfies Reasons['fileForbidden'],
  EPERM: 'Innkeeper may not change this file' satisfies Reasons['fileForbidden'],
  EXDEV: 'it is on another file system',
  EBUSY: 'it is in use' satisfies Reasons['fileInUse'],
  ETXTBSY: 'it is being executed',
  EFBIG: 'the file would be too large for this disk',
}

/** Describes a disk error for users; undefined when it is not one. */
export function findDiskError(error: unknown): string | undefined {
  const code = getCode(error)
  return Object.hasOwn(messages, code) ? messages[code] : undefined
}
