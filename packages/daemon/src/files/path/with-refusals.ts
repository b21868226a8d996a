import { Refusal, type RefusalCode } from '@innkeeper/contract/refusals'
import { codeOf } from '../error-code.ts'
import { formatPath, type SafePath } from './safe-path.ts'

const codes = {
  ENOENT: 'ErrFileNotFound',
  ENOTDIR: 'ErrFileNotFound',
  ELOOP: 'ErrIllegalFileAccess',
  EEXIST: 'ErrFileExists',
  ENOTEMPTY: 'ErrFileExists',
  EISDIR: 'ErrNotAFile',
  ENXIO: 'ErrNotAFile',
  ENODEV: 'ErrNotAFile',
} as const satisfies Record<string, RefusalCode>

/** Runs `act` and turns expected errno codes into refusals, such as ENOENT into ErrFileNotFound. */
export async function withRefusals<T>(path: SafePath, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const code = codeOf(error)
    if (!(error instanceof Refusal) && Object.hasOwn(codes, code)) {
      throw new Refusal(codes[code as keyof typeof codes], { path: formatPath(path) }, { cause: error })
    }
    throw error
  }
}

/** Resolves to undefined when the file does not exist or may not be accessed. */
export async function undefinedIfMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (isRefusal(error, 'ErrFileNotFound') || isRefusal(error, 'ErrIllegalFileAccess')) return undefined
    throw error
  }
}

/** The refusal of paths that lead out of the server's directory. */
export function outsideRoot(path: SafePath): Refusal {
  return new Refusal('ErrIllegalFileAccess', { path: formatPath(path) })
}

/** Whether an error is a refusal with this code. */
export function isRefusal(error: unknown, code: RefusalCode): boolean {
  return error instanceof Refusal && error.code === code
}
