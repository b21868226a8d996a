/** Linux errno values without a name in Node.js. */
const unnamed: Readonly<Record<string, string>> = { 'Unknown system error -122': 'EDQUOT' }

/** Returns the errno name of an error, such as `ENOENT`; an empty string when it has none. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return unnamed[code] ?? code
}

/** Returns a handler of rejections that ignores these errno names: `await rmdir(path).catch(ignoreErrors('ENOENT'))`. */
export function ignoreErrors(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(codeOf(error))) throw error
  }
}

const messages: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EIO: 'the disk reports an I/O error',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this host',
  EACCES: 'Innkeeper may not change this file',
  EPERM: 'Innkeeper may not change this file',
  EXDEV: 'it is on another file system',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is being executed',
  EFBIG: 'the file would be too large for this disk',
}

/** Describes a disk error for users; undefined when it is not one. */
export function diskErrorOf(error: unknown): string | undefined {
  const code = codeOf(error)
  return Object.hasOwn(messages, code) ? messages[code] : undefined
}
