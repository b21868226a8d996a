import type { BigIntStats } from 'node:fs'
import { chown, link, mkdir, rename, rmdir } from 'node:fs/promises'
import { closeOnError, withRollback } from '../../errors/cleanup.ts'
import { getCode, ignoreErrors } from '../../errors/error-code.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import type { DiscardedEntry, KeepMethod } from '../path/discard-sink.ts'
import { lstatOrUndefined, mkdirIfMissing } from '../path/tree-root.ts'

/**
 * `taken`: the path is used in the target already. `unsupported`: not on the same file system, or no hard links.
 * `notEmpty`: with `rmdir`, the directory has contents.
 */
export type MoveOutcome = 'done' | 'taken' | 'unsupported' | 'notEmpty'

const unsupportedCodes: readonly string[] = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/**
 * Moves or links an entry into another directory on the same file system, below its own path there. Its parent
 * directories are created with the owner of its directory.
 */
export async function moveOrLinkInto(
  target: DirHandle,
  entry: DiscardedEntry,
  method: KeepMethod,
): Promise<MoveOutcome> {
  const owner = await entry.folder.stat()
  const parent = await openParents(target, entry.path.slice(0, -1), owner)
  if (!parent) return 'taken'
  await using _ = parent
  const [from, to] = [entry.folder.pathTo(entry.source ?? entry.name), parent.pathTo(entry.name)]
  const existing = await lstatOrUndefined(parent, entry.name)
  // Clients of SFTP delete the files of a directory one by one, then the directory.
  if (existing?.isDirectory() && entry.stats.isDirectory() && (await removeIfEmpty(from))) return 'done'
  if (existing) return method === 'rmdir' && existing.isDirectory() ? 'notEmpty' : 'taken'
  try {
    if (method === 'rmdir') return await moveIfEmpty(entry, from, to)
    if (method === 'link') await link(from, to)
    else await renameWritable(entry, from, to)
    return 'done'
  } catch (error) {
    if (unsupportedCodes.includes(getCode(error))) return 'unsupported'
    throw error
  }
}

/** Opens a directory and creates its parents. Returns undefined when a file is in the way. */
async function openParents(
  top: DirHandle,
  names: readonly string[],
  { uid, gid }: Pick<BigIntStats, 'uid' | 'gid'>,
): Promise<DirHandle | undefined> {
  let folder = top.dup()
  for (const name of names) {
    await using parent = folder
    const isNew = await mkdirIfMissing(parent.pathTo(name))
    const next = await parent.openDir(name).catch(ignoreErrors('ENOTDIR', 'ELOOP'))
    if (!next) return undefined
    // Only root can chown: without root, all files belong to the daemon.
    if (isNew) await closeOnError(next, () => chown(next.path, Number(uid), Number(gid)).catch(ignoreErrors('EPERM')))
    folder = next
  }
  return folder
}

async function removeIfEmpty(path: RawName): Promise<boolean> {
  const isRemoved = await rmdir(path).then(() => true, ignoreErrors('ENOTEMPTY', 'EEXIST'))
  return isRemoved ?? false
}

/** Only `rmdir` checks atomically that a directory is empty: the trash gets a directory of its own. */
async function moveIfEmpty({ stats }: DiscardedEntry, from: RawName, to: RawName): Promise<MoveOutcome> {
  await mkdir(to, Number(stats.mode) & 0o777)
  await chown(to, Number(stats.uid), Number(stats.gid)).catch(ignoreErrors('EPERM'))
  if (await withRollback(removeIfEmpty(from), () => rmdir(to))) return 'done'
  await rmdir(to)
  return 'notEmpty'
}

async function renameWritable({ folder, name, stats }: DiscardedEntry, from: RawName, to: RawName): Promise<void> {
  await rename(from, to).catch(async (error: unknown) => {
    if (getCode(error) !== 'EACCES' || !stats.isDirectory()) throw error
    {
      // A directory must be writable to change its parent.
      await using readOnly = await folder.openDir(name)
      await readOnly.makeWritable()
    }
    await rename(from, to)
  })
}
