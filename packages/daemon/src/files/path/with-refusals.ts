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

/** Gives the answers of the system that are expected their code. */
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

/** `undefined` for what is not there or must not be looked at. */
export async function undefinedIfMissing<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking
  } catch (error) {
    if (isRefusal(error, 'ErrFileNotFound') || isRefusal(error, 'ErrIllegalFileAccess')) return undefined
    throw error
  }
}

/** The no to every path that leads out of the server's folder. */
export function outsideRoot(path: SafePath): Refusal {
  return new Refusal('ErrIllegalFileAccess', { path: formatPath(path) })
}

/** Whether something went wrong in just this expected way. */
export function isRefusal(error: unknown, code: RefusalCode): boolean {
  return error instanceof Refusal && error.code === code
}
