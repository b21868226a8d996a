import { ignoreRefusals } from '../../errors/refusals.ts'
import type { SafePath } from '../../files/path/safe-path.ts'
import type { RootFs } from '../../files/root.ts'

/** The path of a temporary directory of a step. It is removed on disposal, and now if an interrupted step left it. */
export async function scratchDirectory(files: RootFs, path: SafePath): Promise<AsyncDisposable> {
  const remove = async () => {
    await files.removeTree(path).catch(ignoreRefusals('ErrFileNotFound'))
  }
  await remove()
  return { [Symbol.asyncDispose]: remove }
}
