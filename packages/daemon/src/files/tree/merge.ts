import { rename } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ExtractConflictPolicy } from '@innkeeper/contract/servers/files'
import { withRollback } from '../../errors/cleanup.ts'
import { ignoreRefusals } from '../../errors/refusals.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { freeNameIn } from '../path/names.ts'
import { findParent, formatPath, listedPath, listedPathBelow, rootPath, type SafePath } from '../path/safe-path.ts'
import { lstatOrUndefined, type TreeRoot } from '../path/tree-root.ts'
import { renameExclusive } from '../write/rename-exclusive.ts'
import { refuseDeniedBelow } from './denied-below.ts'
import { removeIn } from './remove-tree.ts'

export interface MergeOptions {
  /** How existing files are handled; directories are merged. */
  readonly onConflict: ExtractConflictPolicy
  /** Called for entries that are skipped, because a file with that name is kept or has another type. */
  readonly skip: (path: SafePath) => void
  readonly signal: AbortSignal
  /**
   * The tree has the only copy: after a failure, placed entries stay. With `keepBoth`, an entry of another type than the
   * existing one is also placed beside it, and with `refuse` it is refused.
   */
  readonly isOnlyCopy?: boolean
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
  if (options.onConflict === 'refuse') {
    for await (const { taken, isFolder, path } of readEntries(trees)) {
      const isRefused = options.isOnlyCopy ? taken !== 'nothing' : taken === 'file' && !isFolder
      if (isRefused) throw new Refusal('ErrFileExists', { path: formatPath(path) })
    }
  }
  if (trees.root.denied) await refuseDenied(trees)
  const placed: SafePath[] = []
  await withRollback(placeAll(trees, options, placed), async () => {
    if (options.isOnlyCopy) return
    for (const path of placed.toReversed()) await remove(trees.root, path)
  })
  await trees.target.sync()
}

/** Throws ErrFileDenied when an entry would be at a path that is kept from the user. */
async function refuseDenied(trees: Trees): Promise<void> {
  for await (const { tree, target, name } of readEntries(trees)) {
    const path = listedPathBelow(await trees.root.readPath(target), [name])
    trees.root.denied?.assertAllowed(path)
    await refuseDeniedBelow(trees.root, { folder: tree, name }, [path])
  }
}

/** Adds the paths of new entries to `placed`. */
async function placeAll(trees: Trees, options: MergeOptions, placed: SafePath[]): Promise<void> {
  for await (const entry of readEntries(trees)) {
    options.signal.throwIfAborted()
    const name = await place(trees.root, entry, options)
    if (name !== undefined && entry.taken === 'nothing') placed.push(entry.path)
    else if (name !== undefined && name !== entry.name) {
      placed.push(listedPath(findParent(entry.path) ?? rootPath, String(name)))
    }
  }
}

/** Places one entry. Returns its name; undefined when it is skipped. */
async function place(root: TreeRoot, entry: MergeEntry, options: MergeOptions): Promise<RawName | undefined> {
  const { tree, target, name, path, isFolder, taken } = entry
  const { onConflict, skip, isOnlyCopy = false } = options
  if (isOnlyCopy && onConflict === 'keepBoth' && taken !== 'nothing') {
    const beside = await freeNameIn(target, name)
    await renameExclusive(tree.pathTo(name), target.pathTo(beside))
    await root.discarded?.moved(path, listedPath(findParent(path) ?? rootPath, String(beside)))
    return beside
  }
  if (taken === 'other' || (taken === 'file' && (isFolder || onConflict === 'skip'))) {
    skip(path)
    return undefined
  }
  if (taken === 'file' && onConflict === 'replace') {
    await root.discardReplaced(target, name, path)
    await rename(tree.pathTo(name), target.pathTo(name))
    return name
  }
  if (taken === 'file' && onConflict === 'refuse') throw new Refusal('ErrFileExists', { path: formatPath(path) })
  const fresh = taken === 'file' ? await freeNameIn(target, name) : name
  await renameExclusive(tree.pathTo(name), target.pathTo(fresh))
  return fresh
}

/** The entries to move as a whole: existing directories are entered instead. */
async function* readEntries({ root, tree, target, path }: Trees): AsyncGenerator<MergeEntry> {
  for (const name of await tree.names()) {
    const isFolder = (await lstatOrUndefined(tree, name))?.isDirectory() ?? false
    const existing = await lstatOrUndefined(target, name)
    const at = listedPath(path, String(name))
    const inner = isFolder && existing ? await folderAt(root, target, name, at) : undefined
    if (inner) {
      await using _ = inner
      await using deeper = await tree.openDir(name)
      yield* readEntries({ root, tree: deeper, target: inner, path: at })
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
  return await root.openDir(path).catch(ignoreRefusals())
}

async function remove(root: TreeRoot, path: SafePath): Promise<void> {
  const found = await root.resolveParent(path, { followLast: false }).catch(ignoreRefusals('ErrFileNotFound'))
  if (!found) return
  await using folder = found.folder
  await removeIn(folder, found.name)
}
