import { constants } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import type { ConflictPolicy } from '@innkeeper/contract/servers/files'
import { closeOnError, withRollback } from '../../errors/cleanup.ts'
import { ignoreErrors } from '../../errors/error-code.ts'
import { isRefusal } from '../../errors/refusals.ts'
import { freeNameIn } from '../path/names.ts'
import { type SafePath, withRefusals } from '../path/safe-path.ts'
import type { TreeRoot } from '../path/tree-root.ts'
import { getBytes } from '../read/bytes.ts'
import type { VersionedInfo } from '../read/file-info.ts'
import { unlimitedReservation } from '../space/write-budget.ts'
import { Draft, type DraftOptions } from '../write/draft.ts'

/**
 * Moves a complete file of the daemon, on any file system, into a server's tree. The source is gone afterwards, and
 * untouched on failure. The caller has reserved the space for it.
 */
export async function importFile(
  tree: TreeRoot,
  file: string,
  to: SafePath,
  onConflict: ConflictPolicy,
): Promise<VersionedInfo> {
  for (;;) {
    try {
      await using draft = await begin(tree, file, to, onConflict)
      await draft.commit()
      await unlink(file)
      return await draft.info()
    } catch (error) {
      // The free name was taken meanwhile.
      if (onConflict !== 'keepBoth' || !isRefusal(error, 'ErrFileExists')) throw error
    }
  }
}

async function begin(tree: TreeRoot, file: string, to: SafePath, onConflict: ConflictPolicy): Promise<Draft> {
  const options: DraftOptions = {
    onConflict: onConflict === 'replace' ? 'replace' : 'refuse',
    reservation: unlimitedReservation,
  }
  const target = async () => {
    const found = await withRefusals(to, () => tree.resolveParent(to, { followLast: onConflict !== 'keepBoth' }))
    const resolved = found.path
    if (onConflict !== 'keepBoth') return { ...found, path: to, resolved }
    const name = await closeOnError(found.folder, (folder) => freeNameIn(folder, found.name))
    return { ...found, name, path: to, resolved }
  }
  // Impossible from another file system, or on one without hard links: then it is copied.
  const linked = await Draft.begin(tree, await target(), options, file).catch(
    ignoreErrors('EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'),
  )
  if (linked) return linked
  const source = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  const bytes = getBytes(source)
  const beginning = target().then((found) => Draft.begin(tree, found, options))
  const copied = await withRollback(beginning, () => bytes.destroy())
  return await closeOnError(copied, async (draft) => {
    for await (const chunk of bytes) await draft.write(chunk as Buffer)
    return draft
  })
}
