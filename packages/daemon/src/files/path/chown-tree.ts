import { constants } from 'node:fs'
import { chmod, chown, open, readlink } from 'node:fs/promises'
import { getCode } from '../../errors/error-code.ts'
import type { Owner } from '../../fs/owner.ts'
import { type DirHandle, O_PATH, type RawName } from './dir-handle.ts'

/** Maximum depth: each level needs a descriptor. */
const maxDepth = 256

/**
 * Changes the owner of a server's directory and all of its contents; others cannot look into it. The directory itself
 * is last, so that an interrupted run starts again. Links are changed, never followed. Files with several hard links
 * may belong to another user by another name: they are skipped.
 */
export async function chownTree(folder: DirHandle, owner: Owner): Promise<void> {
  await chownContents(folder, owner, 0)
  await chmod(folder.path, 0o700)
  await chown(folder.path, owner.uid, owner.gid)
}

async function chownContents(folder: DirHandle, owner: Owner, depth: number): Promise<void> {
  if (depth > maxDepth) throw new Error('the directories of the server are nested too deeply to change their owner')
  for (const entry of await folder.entries()) {
    try {
      if (entry.isDirectory()) {
        await using inner = await folder.openDir(entry.name)
        await chownContents(inner, owner, depth + 1)
        await chown(inner.path, owner.uid, owner.gid)
      } else {
        await chownFile(folder, entry.name, owner)
      }
    } catch (error) {
      if (getCode(error) !== 'ENOENT') throw error
    }
  }
}

/**
 * Changes a file through a descriptor, so that it cannot be replaced. Another hard link may have been removed before
 * links are counted; then the kernel reports the opened name as deleted.
 */
async function chownFile(folder: DirHandle, name: RawName, { uid, gid }: Owner): Promise<void> {
  await using file = await open(folder.pathTo(name), O_PATH | constants.O_NOFOLLOW)
  const path = `/proc/self/fd/${file.fd}`
  const { nlink } = await file.stat()
  if (nlink !== 1 || (await readlink(path)).endsWith(' (deleted)')) return
  await chown(path, uid, gid)
}
