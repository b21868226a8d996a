import { codeOf } from '../error-code.ts'
import type { HeldFolder, RawName } from '../path/held-folder.ts'
import { HeldWay } from '../path/held-way.ts'
import { isLeftover } from '../write/temporary.ts'
import { removeIn } from './empty-folder.ts'

/** Removes what an earlier process had begun or was removing when it ended; says how many things. */
export async function sweepBelow(top: HeldFolder, signal?: AbortSignal): Promise<number> {
  await using way = new HeldWay(top)
  let removed = 0
  const levels = [await sweepOne(top)]
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    signal?.throwIfAborted()
    const name = level.pop()
    if (name === undefined) {
      levels.pop()
      await way.up()
      continue
    }
    try {
      levels.push(await sweepOne(await way.down(name)))
    } catch (error) {
      // Gone meanwhile, or not for us to look into.
      if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(codeOf(error))) throw error
      if (way.depth === levels.length) await way.up()
    }
  }
  return removed

  /** Gives the folders in it. */
  async function sweepOne(folder: HeldFolder): Promise<RawName[]> {
    const folders: RawName[] = []
    for (const entry of await folder.entries()) {
      if (isLeftover(entry.name.toString('latin1'))) {
        await removeIn(folder, entry.name, { signal })
        removed++
      } else if (entry.isDirectory()) {
        folders.push(entry.name)
      }
    }
    return folders
  }
}
