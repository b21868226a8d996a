import { rename } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { getCode } from '../../errors/error-code.ts'
import { formatPath, type SafePath, withRefusals } from '../path/safe-path.ts'
import type { TreeRoot } from '../path/tree-root.ts'
import { getLockKey, renameExclusive } from '../write/rename-exclusive.ts'
import { refuseDeniedBelow } from './denied-below.ts'

/** Renames or moves a file or directory; links are moved as links. */
export async function move(
  tree: TreeRoot,
  from: SafePath,
  to: SafePath,
  onConflict: 'refuse' | 'replace',
): Promise<void> {
  await withRefusals(from, async () => {
    const source = await tree.resolveParent(from, { followLast: false })
    await using _ = source.folder
    const target = await withRefusals(to, () => tree.resolveParent(to, { followLast: false }))
    await using __ = target.folder
    await refuseDeniedBelow(tree, source, [source.path, target.path])
    const [old, fresh] = [source.folder.pathTo(source.name), target.folder.pathTo(target.name)]
    // Excludes concurrent saves of either name.
    const keys = [await getLockKey(source.folder, source.name), await getLockKey(target.folder, target.name)]
    const moving = withLock(keys, async () => {
      if (onConflict === 'refuse') {
        await renameExclusive(old, fresh)
      } else {
        await tree.discardReplaced(target.folder, target.name, target.path)
        await rename(old, fresh)
      }
      await tree.discarded?.moved(source.path, target.path)
    })
    await moving.catch((error: unknown) => {
      if (getCode(error) === 'EINVAL') throw new Refusal('ErrFolderInItself', {}, { cause: error })
      // A file is in place of a directory or the other way round, or the directory is not empty.
      if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EISDIR'].includes(getCode(error))) {
        throw new Refusal('ErrFileExists', { path: formatPath(to) }, { cause: error })
      }
      throw error
    })
    await target.folder.sync()
    await source.folder.sync()
  })
}
