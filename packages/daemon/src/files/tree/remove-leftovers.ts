import { getCode } from '../../errors/error-code.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { DirStack } from '../path/dir-stack.ts'
import { isLeftover, leftoverFormerInode } from '../path/names.ts'
import { recoverFormerContent } from './former-content.ts'
import { removeIn } from './remove-tree.ts'

/** Removes temporary files that an earlier process left, and puts back what it was overwriting. Returns their number. */
export async function removeLeftovers(top: DirHandle, signal?: AbortSignal): Promise<number> {
  await using way = new DirStack(top)
  let removed = 0
  const levels = [await removeLeftoversIn(top)]
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    signal?.throwIfAborted()
    const name = level.pop()
    if (name === undefined) {
      levels.pop()
      await way.pop()
      continue
    }
    try {
      levels.push(await removeLeftoversIn(await way.push(name)))
    } catch (error) {
      // Gone meanwhile, or unreadable.
      if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(getCode(error))) throw error
      if (way.depth === levels.length) await way.pop()
    }
  }
  return removed

  /** Returns the subdirectories. */
  async function removeLeftoversIn(folder: DirHandle): Promise<RawName[]> {
    const folders: RawName[] = []
    for (const entry of await folder.entries()) {
      const inode = leftoverFormerInode(entry.name.toString('latin1'))
      if (inode !== undefined && entry.isDirectory()) {
        await recoverFormerContent(folder, entry.name.toString('latin1'), inode)
        removed++
      } else if (isLeftover(entry.name.toString('latin1'))) {
        await removeIn(folder, entry.name, { signal })
        removed++
      } else if (entry.isDirectory()) {
        folders.push(entry.name)
      }
    }
    return folders
  }
}
