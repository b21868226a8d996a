import { mkdir, rename, rmdir } from 'node:fs/promises'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { isLeftover, isTemporary } from '../path/temporary.ts'

interface Directories {
  readonly tree: DirHandle
  readonly target: DirHandle
  /** Has `tree`, and gets the former contents in the directory `former`; on the same file system. */
  readonly holder: DirHandle
}

interface Move {
  readonly from: RawName
  readonly to: RawName
}

/** In the holder once all former contents are out of the way: a crash after that is recovered by going on. */
const placing = 'placing'

/**
 * Replaces the contents of `target` by those of `tree`, only with renames. On failure all of them are undone; after a
 * crash, `finishReplacements` does it.
 */
export async function replaceContents({ tree, target, holder }: Directories): Promise<void> {
  await mkdir(holder.pathTo('former'), 0o700)
  await using former = await holder.openDir('former')
  const [removed, placed]: [Move[], Move[]] = [[], []]
  let isPlacing = false
  try {
    await moveAll(target, former, removed)
    await Promise.all([former.sync(), target.sync()])
    await mkdir(holder.pathTo(placing), 0o700)
    isPlacing = true
    await holder.sync()
    await moveAll(tree, target, placed)
  } catch (error) {
    await undo(placed)
    if (isPlacing) await rmdir(holder.pathTo(placing))
    await undo(removed)
    throw error
  }
  await target.sync()
}

/** What became of an interrupted replacement. */
export type ReplacementOutcome = 'undone' | 'done'

/**
 * Finishes a replacement of the contents of `target` that an earlier process did not end: the former contents are put
 * back, or all new ones in place. Returns undefined when there is none. On failure nothing is lost.
 */
export async function finishReplacements(target: DirHandle): Promise<ReplacementOutcome | undefined> {
  let outcome: ReplacementOutcome | undefined
  for (const entry of await target.entries()) {
    if (!isLeftover(entry.name.toString('latin1')) || !entry.isDirectory()) continue
    await using holder = await target.openDir(entry.name)
    outcome = (await finishReplacement(holder, target)) ?? outcome
  }
  return outcome
}

async function finishReplacement(holder: DirHandle, target: DirHandle): Promise<ReplacementOutcome | undefined> {
  const names = (await holder.names()).map(String)
  if (!names.includes('former')) return undefined
  const isPlacing = names.includes(placing)
  await using source = await holder.openDir(isPlacing ? 'tree' : 'former')
  await moveAll(source, target)
  await target.sync()
  // Not to be finished again, whatever is in the holder.
  await rename(holder.pathTo('former'), holder.pathTo('replaced'))
  return isPlacing ? 'done' : 'undone'
}

/** Moves all entries, and adds each move to `done`. */
async function moveAll(from: DirHandle, to: DirHandle, done: Move[] = []): Promise<void> {
  for (const name of await from.names()) {
    if (isTemporary(name.toString())) continue
    const move = { from: from.pathTo(name), to: to.pathTo(name) }
    await rename(move.from, move.to)
    done.push(move)
  }
}

async function undo(moves: readonly Move[]): Promise<void> {
  for (const { from, to } of moves.toReversed()) await rename(to, from)
}
