/** Errors of Linux that Node.js has no name for: it calls them by their number. */
const unnamed: Readonly<Record<string, string>> = { 'Unknown system error -122': 'EDQUOT' }

/** The system's name of an error, such as `ENOENT`; empty when it has none. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return unnamed[code] ?? code
}

const troubles: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an error',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
  EACCES: 'Innkeeper may not change this file',
  EPERM: 'Innkeeper may not change this file',
  EXDEV: 'it lies on another disk',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is being executed',
  EFBIG: 'the file would be too large for this disk',
}

/** Why the disk said no, in words for people; `undefined` when it is nothing of the disk. */
export function diskTroubleOf(error: unknown): string | undefined {
  const code = codeOf(error)
  return Object.hasOwn(troubles, code) ? troubles[code] : undefined
}
