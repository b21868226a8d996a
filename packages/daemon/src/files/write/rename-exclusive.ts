import { link, lstat, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises'
import { withRollback } from '../../errors/cleanup.ts'
import { getCode } from '../../errors/error-code.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'

/** Errors of file systems that do not support hard links or do not permit them. */
export const noHardLinkCodes: readonly string[] = ['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/** Renames atomically to a name that must not exist (`EEXIST`, `ENOTEMPTY`). */
export async function renameExclusive(from: RawName, to: RawName): Promise<void> {
  if ((await lstat(from)).isDirectory()) return await renameFolderExclusive(from, to)
  try {
    await link(from, to)
  } catch (error) {
    if (!noHardLinkCodes.includes(getCode(error))) throw error
    // Creates the name first, then replaces it.
    await (await open(to, 'wx', 0o600)).close()
    return await withRollback(rename(from, to), () => unlink(to).catch(onFailedUndo))
  }
  await unlink(from)
}

/** A directory can replace an empty directory, but not one with contents. */
async function renameFolderExclusive(from: RawName, to: RawName): Promise<void> {
  await mkdir(to, 0o700)
  await withRollback(rename(from, to), () => rmdir(to).catch(onFailedUndo))
}

/** The file that has the name now belongs to another operation. */
const onFailedUndo = () => {}

/** Identifies a name in a directory on this host, by whichever path it was reached. */
export async function getLockKey(folder: DirHandle, name: RawName): Promise<string> {
  const { dev, ino } = await folder.stat()
  return `${dev}:${ino}/${typeof name === 'string' ? Buffer.from(name).toString('latin1') : name.toString('latin1')}`
}
