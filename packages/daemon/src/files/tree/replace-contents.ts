import { mkdir, rename } from 'node:fs/promises'
import { withRollback } from '../../errors/cleanup.ts'
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
  const move = async (from: DirHandle, to: DirHandle) => {
    for (const name of await from.names()) {
      if (isTemporary(name.toString())) continue
      const renamed = { from: from.pathTo(name), to: to.pathTo(name) }
      await rename(renamed.from, renamed.to)
      done.push(renamed)
    }
  }
  const replacing = move(target, former).then(() => move(tree, target))
  await withRollback(replacing, async () => {
    for (const { from, to } of done.toReversed()) await rename(to, from)
  })
  await target.sync()
}
