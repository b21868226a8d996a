import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import { getCode } from '../../errors/error-code.ts'
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
    const code = getCode(error)
    if (!(error instanceof Refusal) && Object.hasOwn(codes, code)) {
      throw new Refusal(codes[code as keyof typeof codes], { path: formatPath(path) }, { cause: error })
    }
    throw error
  }
}

/** The refusal of paths that lead out of the server's directory. */
export function outsideRoot(path: SafePath): Refusal {
  return new Refusal('ErrIllegalFileAccess', { path: formatPath(path) })
}
