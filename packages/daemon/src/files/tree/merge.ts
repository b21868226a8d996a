import { rename } from 'node:fs/promises'
import type { OnExtracting } from '@innkeeper/contract/files'
import { Refusal } from '@innkeeper/contract/refusals'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { freeNameIn } from '../path/free-name.ts'
import { formatPath, listedPath, parentOf, rootPath, type SafePath } from '../path/safe-path.ts'
import { lstatOrUndefined, type TreeRoot } from '../path/tree-root.ts'
import { isRefusal } from '../path/with-refusals.ts'
import { renameExclusive } from '../write/rename-exclusive.ts'
import { removeIn } from './remove-tree.ts'

export interface MergeOptions {
  /** How existing files are handled; directories are merged. */
  readonly existing: OnExtracting
  /** Called for entries that are skipped, because a file with that name is kept or has another type. */
  readonly skip: (path: SafePath) => void
  readonly signal: AbortSignal
}

interface Trees {
  readonly root: TreeRoot
  readonly tree: DirHandle
  readonly target: DirHandle
  /** The target path for errors. */
  readonly path: SafePath
}

/** An entry to place. */
interface MergeEntry {
  readonly tree: DirHandle
  readonly target: DirHandle
  readonly name: RawName
  readonly path: SafePath
  readonly isFolder: boolean
  /** What has the name in the target. */
  readonly taken: 'nothing' | 'file' | 'other'
}

/** Moves the contents of one directory into another. On failure, new entries are removed again. */
export async function mergeInto(trees: Trees, options: MergeOptions): Promise<void> {
  if (options.existing === 'refuse') {
    for await (const { taken, isFolder, path } of entriesOf(trees)) {
      if (taken === 'file' && !isFolder) throw new Refusal('ErrFileExists', { path: formatPath(path) })
    }
  }
  const placed: SafePath[] = []
  try {
    for await (const entry of entriesOf(trees)) {
      options.signal.throwIfAborted()
      const name = await place(entry, options)
      if (name !== undefined && entry.taken === 'nothing') placed.push(entry.path)
      else if (name !== undefined && name !== entry.name) {
        placed.push(listedPath(parentOf(entry.path) ?? rootPath, String(name)))
      }
    }
  } catch (error) {
    for (const path of placed.toReversed()) await rollback(trees.root, path)
    throw error
  }
  await trees.target.sync()
}

/** Places one entry. Returns its name; undefined when it is skipped. */
async function place(entry: MergeEntry, { existing, skip }: MergeOptions): Promise<RawName | undefined> {
  const { tree, target, name, path, isFolder, taken } = entry
  if (taken === 'other' || (taken === 'file' && (isFolder || existing === 'skip'))) {
    skip(path)
    return undefined
  }
  if (taken === 'file' && existing === 'replace') {
    await rename(tree.pathTo(name), target.pathTo(name))
    return name
  }
  if (taken === 'file' && existing === 'refuse') throw new Refusal('ErrFileExists', { path: formatPath(path) })
  const fresh = taken === 'file' ? await freeNameIn(target, name) : name
  await renameExclusive(tree.pathTo(name), target.pathTo(fresh))
  return fresh
}

/** The entries to move as a whole: existing directories are entered instead. */
async function* entriesOf({ root, tree, target, path }: Trees): AsyncGenerator<MergeEntry> {
  for (const name of await tree.names()) {
    const isFolder = (await lstatOrUndefined(tree, name))?.isDirectory() ?? false
    const existing = await lstatOrUndefined(target, name)
    const at = listedPath(path, String(name))
    const inner = isFolder && existing ? await folderAt(root, target, name, at) : undefined
    if (inner) {
      await using _ = inner
      await using deeper = await tree.openDir(name)
      yield* entriesOf({ root, tree: deeper, target: inner, path: at })
      await inner.sync()
    } else {
      const isFile = existing?.isFile() || existing?.isSymbolicLink()
      yield { tree, target, name, path: at, isFolder, taken: !existing ? 'nothing' : isFile ? 'file' : 'other' }
    }
  }
}

/** Opens the directory with a name, also through a link that stays inside. */
async function folderAt(
  root: TreeRoot,
  target: DirHandle,
  name: RawName,
  path: SafePath,
): Promise<DirHandle | undefined> {
  const existing = await lstatOrUndefined(target, name)
  if (existing?.isDirectory()) return await target.openDir(name)
  if (!existing?.isSymbolicLink()) return undefined
  try {
    return await root.openDir(path)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

async function rollback(root: TreeRoot, path: SafePath): Promise<void> {
  try {
    const { folder, name } = await root.resolveParent(path, { followLast: false })
    await using _ = folder
    await removeIn(folder, name)
  } catch (error) {
    if (!isRefusal(error, 'ErrFileNotFound')) throw error
  }
}
