import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ConflictPolicy } from '@innkeeper/contract/servers/files'
import { getCode } from '../errors/error-code.ts'
import { isRefusal } from '../errors/refusals.ts'
import { findParent, formatPath, getChild, getName, rootPath, type SafePath } from '../files/path/safe-path.ts'
import type { RootFs } from '../files/root.ts'
import type { Progress } from '../files/tree/progress.ts'

interface MoveOptions {
  readonly onConflict: ConflictPolicy
  readonly progress: Progress
  readonly signal: AbortSignal
}

/** Moves a file, link or directory; a directory is merged into an existing one. */
export async function moveTree(files: RootFs, from: SafePath, to: SafePath, options: MoveOptions): Promise<void> {
  const { onConflict, progress, signal } = options
  signal.throwIfAborted()
  try {
    await files.rename(from, to, { onConflict: 'refuse' })
    progress.entries++
    return
  } catch (error) {
    if (getCode(error) === 'EXDEV') return await copyThenRemove(files, from, to, options)
    if (!isRefusal(error, 'ErrFileExists')) throw error
  }
  if (formatPath(from) === formatPath(to)) throw new Refusal('ErrFileExists', { path: formatPath(to) })
  const [source, target] = [await files.lstat(from), await files.lstat(to)]
  if (source?.kind === 'folder' && target?.kind === 'folder') {
    await merge(files, from, to, options)
  } else if (onConflict === 'replace' && source?.kind !== 'folder' && target?.kind !== 'folder') {
    await files.rename(from, to, { onConflict: 'replace' })
    progress.entries++
  } else if (onConflict === 'keepBoth') {
    const folder = findParent(to) ?? rootPath
    await moveTree(files, from, getChild(folder, await files.freeName(folder, getName(to))), options)
  } else {
    throw new Refusal('ErrFileExists', { path: formatPath(to) })
  }
}

async function merge(files: RootFs, from: SafePath, to: SafePath, options: MoveOptions): Promise<void> {
  let isEmpty = true
  for await (const batch of files.list(from)) {
    for (const { name, isReachable } of batch) {
      if (isReachable) {
        await moveTree(files, getChild(from, name), getChild(to, name), options)
      } else {
        // Unreachable by path: it stays, and so does its directory.
        options.progress.skip(formatPath([...from, name] as readonly string[] as SafePath))
        isEmpty = false
      }
    }
  }
  if (isEmpty) await files.removeTree(from)
}

/** When it cannot be renamed, it is copied and then removed. */
async function copyThenRemove(files: RootFs, from: SafePath, to: SafePath, options: MoveOptions): Promise<void> {
  const { onConflict, progress, signal } = options
  const before = progress.skippedCount
  await files.copyTree(from, to, { onConflict, progress, signal })
  if (progress.skippedCount === before) await files.removeTree(from, { signal })
}
