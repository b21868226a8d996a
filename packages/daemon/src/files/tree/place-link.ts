import { rename, symlink } from 'node:fs/promises'
import type { ExtractConflictPolicy } from '@innkeeper/contract/servers/files'
import { getCode } from '../../errors/error-code.ts'
import { isRefusal } from '../../errors/refusals.ts'
import { staysInside } from '../path/link-target.ts'
import { freeNameIn, temporaryName } from '../path/names.ts'
import { findParent, listedPath, rootPath, type SafePath } from '../path/safe-path.ts'
import { lstatOrUndefined, type TreeRoot } from '../path/tree-root.ts'
import { renameExclusive } from '../write/rename-exclusive.ts'

/**
 * Creates a link that stays inside from where its folder really is, also when links of the server lead there. Returns false
 * when it would lead out, when a directory has its name, or a file that is kept.
 */
export async function placeLink(
  tree: TreeRoot,
  { target, path }: { readonly target: string; readonly path: SafePath },
  onConflict: ExtractConflictPolicy,
): Promise<boolean> {
  const parent = await tree.resolveParent(path, { followLast: false }).catch((error: unknown) => {
    if (!isRefusal(error) && !missingCodes.includes(getCode(error))) throw error
  })
  if (!parent) return false
  await using folder = parent.folder
  const { name, path: resolved } = parent
  const above = findParent(resolved) ?? rootPath
  if (!staysInside(target, above.length)) return false
  // A link of the server on its way may lead out. What is missing does not.
  const led = await tree.resolve(target, above)
  if (!led || (await leadsOut(tree, led))) return false
  const existing = await lstatOrUndefined(folder, name)
  if (existing && (existing.isDirectory() || onConflict === 'skip' || onConflict === 'refuse')) return false
  const temporary = temporaryName()
  await symlink(target, folder.pathTo(temporary))
  await tree.chownLink(folder, temporary)
  if (existing && onConflict === 'replace') {
    await tree.discardReplaced(folder, name, listedPath(above, name))
    await rename(folder.pathTo(temporary), folder.pathTo(name))
  } else {
    const free = existing ? await freeNameIn(folder, name) : name
    await renameExclusive(folder.pathTo(temporary), folder.pathTo(String(free)))
  }
  await folder.sync()
  return true
}

/** A folder on the way is missing, or a file has its name. */
const missingCodes: readonly string[] = ['ENOENT', 'ENOTDIR']

async function leadsOut(tree: TreeRoot, path: SafePath): Promise<boolean> {
  if (path.length === 0) return false
  try {
    const end = await tree.resolveParent(path, { followLast: true })
    await end.folder[Symbol.asyncDispose]()
    return false
  } catch (error) {
    if (missingCodes.includes(getCode(error)) || isRefusal(error, 'ErrFileNotFound')) return false
    if (isRefusal(error)) return true
    throw error
  }
}
