import { rename } from 'node:fs/promises'
import { withLock } from '@innkeeper/contract/mutex'
import { Refusal } from '@innkeeper/contract/refusals'
import { codeOf } from '../error-code.ts'
import { naming } from '../path/naming.ts'
import { formatPath, type SafePath } from '../path/safe-path.ts'
import type { Ways } from '../path/ways.ts'
import { keyOf, putNew } from '../write/put.ts'

/** Gives something another name or place; links are moved as links. */
export async function move(ways: Ways, from: SafePath, to: SafePath, existing: 'refuse' | 'replace'): Promise<void> {
  await naming(from, async () => {
    const source = await ways.reach(from, { followLast: false })
    await using _ = source.folder
    const target = await naming(to, () => ways.reach(to, { followLast: false }))
    await using __ = target.folder
    const [old, fresh] = [source.folder.at(source.name), target.folder.at(target.name)]
    // Nobody who saves one of the two comes between.
    const keys = [await keyOf(source.folder, source.name), await keyOf(target.folder, target.name)]
    try {
      await withLock(keys, () => (existing === 'refuse' ? putNew(old, fresh) : rename(old, fresh)))
    } catch (error) {
      if (codeOf(error) === 'EINVAL') throw new Refusal('ErrFolderInItself', {}, { cause: error })
      // A file stands where a folder is to go, or the other way round, or a folder with something in it.
      if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EISDIR'].includes(codeOf(error))) {
        throw new Refusal('ErrFileExists', { path: formatPath(to) }, { cause: error })
      }
      throw error
    }
    await target.folder.sync()
    await source.folder.sync()
  })
}
