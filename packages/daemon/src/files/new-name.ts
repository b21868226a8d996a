import { isBlankName } from '@innkeeper/contract/files'
import { Refusal } from '@innkeeper/contract/refusals'
import { parentOf, type SafePath } from './path/safe-path.ts'
import type { RootFs } from './root.ts'

/**
 * Throws `ErrFieldRequired` when creating this path would create a file or directory with a blank name. Existing ones
 * can still be replaced, and files can be created in such a directory.
 */
export async function refuseBlankNames(files: RootFs, path: SafePath): Promise<void> {
  if (!path.some(isBlankName)) return
  for (let ancestor: SafePath | undefined = path; ancestor; ancestor = parentOf(ancestor)) {
    if (isBlankName(ancestor.at(-1) ?? '/') && !(await files.exists(ancestor))) {
      throw new Refusal('ErrFieldRequired', { field: 'name' })
    }
  }
}
