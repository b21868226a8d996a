import { type BigIntStats, constants } from 'node:fs'
import { chmod, type FileHandle, open, utimes } from 'node:fs/promises'
import { O_PATH } from '../path/dir-handle.ts'
import { type SafePath, withRefusals } from '../path/safe-path.ts'
import type { TreeRoot } from '../path/tree-root.ts'
import { type FileStat, getSeconds, setOn } from './file-stat.ts'
import { openFile } from './opening.ts'

export async function setStat(tree: TreeRoot, of: SafePath | FileHandle, changes: FileStat): Promise<void> {
  if (!isPath(of)) return await setOn(of.fd, changes)
  if (changes.size !== undefined) {
    await using file = await openFile(tree, of, { write: true })
    return await setOn(file.fd, changes)
  }
  await withRefusals(of, async () => {
    if (of.length === 0) return await setAt(tree.root.path, await tree.root.stat(), changes)
    const { folder, name } = await tree.resolveParent(of, { followLast: true })
    await using _ = folder
    // O_PATH identifies the file without read permission, even if its name is reused meanwhile.
    await using handle = await open(folder.pathTo(name), O_PATH | constants.O_NOFOLLOW)
    const stats = await handle.stat({ bigint: true })
    if (!stats.isDirectory()) tree.check(stats, of)
    await setAt(`/proc/self/fd/${handle.fd}`, stats, changes)
  })
}

/** Operates on the file that a descriptor path refers to. */
async function setAt(path: string, now: BigIntStats, { mode, modified, accessed }: FileStat): Promise<void> {
  if (mode !== undefined) await chmod(path, mode & 0o777)
  if (modified || accessed) {
    await utimes(path, accessed ?? getSeconds(now.atimeNs), modified ?? getSeconds(now.mtimeNs))
  }
}

const isPath = (of: SafePath | FileHandle): of is SafePath => Array.isArray(of)
