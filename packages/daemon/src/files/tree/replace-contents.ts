import { lstat, mkdir, rename, rmdir, unlink } from 'node:fs/promises'
import { getCode } from '../../errors/error-code.ts'
import { ifExists } from '../../fs/if-exists.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { isLeftover, isTemporary } from '../path/names.ts'
import { lstatOrUndefined } from '../path/tree-root.ts'
import { renameExclusive } from '../write/rename-exclusive.ts'

interface Directories {
  readonly tree: DirHandle
  readonly target: DirHandle
  /** Has `tree`, and gets the former contents in the directory `former`; on the same file system. */
  readonly holder: DirHandle
}

interface Move {
  readonly name: RawName
  readonly from: DirHandle
  readonly to: DirHandle
}

/** In the holder until the replacement has ended: the former contents, which are needed if it is interrupted. */
const formerName = 'former'
/** In the holder once all former contents are out of the way: a crash after that is recovered by going on. */
const placingName = 'placing'
/** In the holder after the replacement: the former contents, which are not needed any more. */
const replacedName = 'replaced'

/** Some files are neither where they were before the replacement nor where they should be after it. */
export class IncompleteReplacementError extends AggregateError {}

/**
 * Replaces the contents of `target` by those of `tree`, only with renames. On failure all of them are undone; after a
 * crash, `finishReplacements` does it. Throws `IncompleteReplacementError` when they cannot all be undone: the holder
 * has the files that are missing.
 */
export async function replaceContents({ tree, target, holder }: Directories): Promise<void> {
  const names = await namesToReplace(target)
  await mkdir(holder.pathTo(formerName), 0o700)
  await using former = await holder.openDir(formerName)
  const [removed, placed]: [Move[], Move[]] = [[], []]
  try {
    for (const name of names) await move({ name, from: target, to: former }, removed)
    await Promise.all([former.sync(), target.sync()])
    await mkdir(holder.pathTo(placingName), 0o700)
    await holder.sync()
    for (const name of await permanentNames(tree)) await move({ name, from: tree, to: target }, placed)
    await target.sync()
    await rename(holder.pathTo(formerName), holder.pathTo(replacedName))
  } catch (error) {
    await undo({ removed, placed, holder }, error)
    throw error
  }
  await holder.sync()
}

/** What became of an interrupted replacement. */
export type ReplacementOutcome = 'undone' | 'done'

/**
 * Finishes the replacements of the contents of `target` that an earlier process did not end: the former contents are put
 * back, or all new ones in place. Returns the outcomes by the names of the holders. Newer files are not overwritten:
 * then it throws `IncompleteReplacementError`, nothing is lost, and the next call continues.
 */
export async function finishReplacements(target: DirHandle): Promise<ReadonlyMap<string, ReplacementOutcome>> {
  const outcomes = new Map<string, ReplacementOutcome>()
  const finished = new Set<string>()
  // An outcome may put the holder of an earlier replacement back.
  for (;;) {
    const folders = (await target.entries()).filter((entry) => entry.isDirectory()).map(({ name }) => String(name))
    const name = folders.find((folder) => isLeftover(folder) && !finished.has(folder))
    if (name === undefined) return outcomes
    finished.add(name)
    await using holder = await target.openDir(name)
    const outcome = await finishReplacement(holder, target)
    if (outcome) outcomes.set(name, outcome)
  }
}

/** Whether a replacement with this holder has neither ended nor been undone. */
export async function isUnfinished(holder: DirHandle): Promise<boolean> {
  return (await lstatOrUndefined(holder, formerName))?.isDirectory() ?? false
}

async function finishReplacement(holder: DirHandle, target: DirHandle): Promise<ReplacementOutcome | undefined> {
  const names = (await holder.names()).map(String)
  if (!names.includes(formerName)) return names.includes(replacedName) ? 'done' : undefined
  const isPlacing = names.includes(placingName)
  if (!isPlacing) {
    await using former = await holder.openDir(formerName)
    await moveExclusive(await former.names(), former, target)
  } else if (names.includes('tree')) {
    await using tree = await holder.openDir('tree')
    await moveExclusive(await permanentNames(tree), tree, target)
  }
  await target.sync()
  if (isPlacing) await rename(holder.pathTo(formerName), holder.pathTo(replacedName))
  else await rmdir(holder.pathTo(formerName))
  await holder.sync()
  return isPlacing ? 'done' : 'undone'
}

async function permanentNames(folder: DirHandle): Promise<RawName[]> {
  return (await folder.names()).filter((name) => !isTemporary(name.toString()))
}

/** Also the holder of an earlier replacement that was not finished, which must not be recovered over the new contents. */
async function namesToReplace(target: DirHandle): Promise<RawName[]> {
  const names: RawName[] = []
  for (const name of await target.names()) {
    if (!isTemporary(name.toString())) names.push(name)
    else if ((await lstatOrUndefined(target, name))?.isDirectory()) {
      await using holder = await target.openDir(name)
      if (await isUnfinished(holder)) names.push(name)
    }
  }
  return names
}

/** Adds the move to `done`. */
async function move(entry: Move, done: Move[]): Promise<void> {
  const { name, from, to } = entry
  await rename(from.pathTo(name), to.pathTo(name))
  done.push(entry)
}

interface Replacement {
  readonly removed: readonly Move[]
  readonly placed: readonly Move[]
  readonly holder: DirHandle
}

/** Moves everything back that can be. */
async function undo({ removed, placed, holder }: Replacement, cause: unknown): Promise<void> {
  const failures: unknown[] = []
  const attempt = async (step: () => Promise<void>) => await step().catch((error: unknown) => void failures.push(error))
  const moveBack = ({ name, from, to }: Move) => attempt(() => renameIfFree(to.pathTo(name), from.pathTo(name)))
  for (const entry of placed.toReversed()) await moveBack(entry)
  if (await lstatOrUndefined(holder, placingName)) await attempt(() => rmdir(holder.pathTo(placingName)))
  for (const entry of removed.toReversed()) await moveBack(entry)
  if (failures.length === 0) await attempt(() => rmdir(holder.pathTo(formerName)))
  if (failures.length > 0)
    throw new IncompleteReplacementError([cause, ...failures], 'the former files could not all be put back')
}

/** Moves as many as possible, without replacing what has their names now. */
async function moveExclusive(names: readonly RawName[], from: DirHandle, to: DirHandle): Promise<void> {
  const failures: unknown[] = []
  const failed: RawName[] = []
  for (const name of names) {
    await renameIfFree(from.pathTo(name), to.pathTo(name)).catch((error: unknown) => {
      failures.push(error)
      failed.push(name)
    })
  }
  if (failures.length === 0) return
  const isTaken = failures.some((error) => ['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(getCode(error)))
  const reason = isTaken ? 'newer files have their names' : String(failures[0])
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : ''
  throw new IncompleteReplacementError(failures, `${failed[0]}${others} could not be moved: ${reason}`)
}

/** Like `renameExclusive`, but a call that was interrupted by a crash can be repeated. */
async function renameIfFree(from: RawName, to: RawName): Promise<void> {
  const source = await lstat(from, { bigint: true })
  const existing = await ifExists(lstat(to, { bigint: true }))
  // A directory only replaces an empty one.
  if (source.isDirectory()) await rename(from, to)
  else if (existing?.ino === source.ino && existing.dev === source.dev) await unlink(from)
  else await renameExclusive(from, to)
}
