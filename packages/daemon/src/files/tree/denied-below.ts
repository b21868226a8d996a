import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { listedPathBelow, type SafePath } from '../path/safe-path.ts'
import { lstatOrUndefined, type TreeRoot } from '../path/tree-root.ts'
import { walkBelow } from './walk.ts'

/**
 * Throws ErrFileDenied when something below a directory is, or would be at one of these paths, kept from the user. Other
 * entries are not examined.
 */
export async function refuseDeniedBelow(
  tree: TreeRoot,
  { folder, name }: { readonly folder: DirHandle; readonly name: RawName },
  paths: readonly SafePath[],
): Promise<void> {
  const { denied } = tree
  if (!denied || !(await lstatOrUndefined(folder, name))?.isDirectory()) return
  for await (const step of walkBelow(await folder.openDir(name))) {
    for (const path of paths) denied.assertAllowed(listedPathBelow(path, [...step.above, step.name]))
  }
}
