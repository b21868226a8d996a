import { Refusal } from '@innkeeper/contract/errors/refusals'
import { isBlankName } from '@innkeeper/contract/servers/files'
import { findParent, hasControlCharacter, type SafePath } from './path/safe-path.ts'
import type { RootFs } from './root.ts'

/**
 * Refuses to create a file or directory with a blank name (`ErrFieldRequired`) or with control characters
 * (`ErrFieldInvalid`). Existing ones can still be replaced, and files can be created in such a directory.
 */
export async function refuseUnusualNames(files: RootFs, path: SafePath): Promise<void> {
  if (!path.some((name) => isBlankName(name) || hasControlCharacter(name))) return
  for (let ancestor: SafePath | undefined = path; ancestor; ancestor = findParent(ancestor)) {
    const name = ancestor.at(-1) ?? '/'
    if (!(isBlankName(name) || hasControlCharacter(name)) || (await files.exists(ancestor))) continue
    if (isBlankName(name)) throw new Refusal('ErrFieldRequired', { field: 'name' })
    throw new Refusal('ErrFieldInvalid', { field: 'path' })
  }
}
