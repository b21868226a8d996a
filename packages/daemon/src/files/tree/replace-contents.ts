import { mkdir, rename } from 'node:fs/promises'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { isTemporary } from '../path/temporary.ts'

interface Directories {
  readonly tree: DirHandle
  readonly target: DirHandle
  /** Gets the former contents, in the directory `former`; on the same file system. */
  readonly holder: DirHandle
}

interface Move {
  readonly from: RawName
  readonly to: RawName
}

/** Replaces the contents of `target` by those of `tree`, only with renames. On failure all of them are undone. */
export async function replaceContents({ tree, target, holder }: Directories): Promise<void> {
  await mkdir(holder.pathTo('former'), 0o700)
  await using former = await holder.openDir('former')
  const done: Move[] = []
  const moveAll = async (from: DirHandle, to: DirHandle) => {
    for (const name of await from.names()) {
      if (isTemporary(name.toString())) continue
      const move = { from: from.pathTo(name), to: to.pathTo(name) }
      await rename(move.from, move.to)
      done.push(move)
    }
  }
  try {
    await moveAll(target, former)
    await moveAll(tree, target)
  } catch (error) {
    for (const { from, to } of done.toReversed()) await rename(to, from)
    throw error
  }
  await target.sync()
}
