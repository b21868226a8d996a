import { constants } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import type { OnExisting } from '@innkeeper/contract/files'
import { codeOf } from '../error-code.ts'
import { freeNameIn } from '../path/free-name.ts'
import type { SafePath } from '../path/safe-path.ts'
import type { TreeRoot } from '../path/tree-root.ts'
import { isRefusal, withRefusals } from '../path/with-refusals.ts'
import { bytesOf } from '../read/bytes.ts'
import type { VersionedInfo } from '../read/file-info.ts'
import { Draft, type DraftOptions } from '../write/draft.ts'

/**
 * Moves a complete file of the daemon, on any file system, into a server's tree. The source is gone afterwards, and
 * untouched on failure.
 */
export async function importFile(
  tree: TreeRoot,
  file: string,
  to: SafePath,
  existing: OnExisting,
): Promise<VersionedInfo> {
  for (;;) {
    try {
      await using draft = await begin(tree, file, to, existing)
      await draft.commit()
      await unlink(file)
      return await draft.info()
    } catch (error) {
      // The free name was taken meanwhile.
      if (existing !== 'keepBoth' || !isRefusal(error, 'ErrFileExists')) throw error
    }
  }
}

async function begin(tree: TreeRoot, file: string, to: SafePath, existing: OnExisting): Promise<Draft> {
  const options: DraftOptions = { existing: existing === 'replace' ? 'replace' : 'refuse' }
  const target = async () => {
    const found = await withRefusals(to, () => tree.resolveParent(to, { followLast: existing !== 'keepBoth' }))
    if (existing !== 'keepBoth') return { ...found, path: to }
    try {
      return { ...found, name: await freeNameIn(found.folder, found.name), path: to }
    } catch (error) {
      await found.folder[Symbol.asyncDispose]()
      throw error
    }
  }
  try {
    return await Draft.begin(tree, await target(), options, file)
  } catch (error) {
    // On another file system, or one without hard links: it is copied.
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error))) throw error
  }
  const source = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  const bytes = bytesOf(source)
  const draft = await Draft.begin(tree, await target(), options).catch((error: unknown) => {
    bytes.destroy()
    throw error
  })
  try {
    for await (const chunk of bytes) await draft.write(chunk as Buffer)
    return draft
  } catch (error) {
    await draft[Symbol.asyncDispose]()
    throw error
  }
}
