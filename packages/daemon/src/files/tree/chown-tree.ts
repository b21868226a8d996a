import { constants } from 'node:fs'
import { chmod, chown, open, readlink } from 'node:fs/promises'
import { codeOf } from '../error-code.ts'
import { type DirHandle, O_PATH, type RawName } from '../path/dir-handle.ts'

/** Folders that are nested more deeply are no server's: each level holds a descriptor. */
const maxDepth = 256

interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * Gives a server's folder and all that is in it to its user; others may not look into it. The folder itself is last, so
 * that what was interrupted begins anew. Links are given, never followed. A file with a second name may belong to
 * somebody else by that one: it stays as it is.
 */
export async function chownTree(folder: DirHandle, owner: Owner): Promise<void> {
  await chownContents(folder, owner, 0)
  await chmod(folder.path, 0o700)
  await chown(folder.path, owner.uid, owner.gid)
}

async function chownContents(folder: DirHandle, owner: Owner, depth: number): Promise<void> {
  if (depth > maxDepth) throw new Error('the folders of the server are nested too deeply to be given to its user')
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
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

/**
 * Gives a file by a descriptor, so that nothing else can take its place. A second name of somebody else's file may have been
 * taken away before the names are counted; then the kernel shows the name by which it was opened as deleted.
 */
async function chownFile(folder: DirHandle, name: RawName, { uid, gid }: Owner): Promise<void> {
  await using file = await open(folder.pathTo(name), O_PATH | constants.O_NOFOLLOW)
  const path = `/proc/self/fd/${file.fd}`
  const { nlink } = await file.stat()
  if (nlink !== 1 || (await readlink(path)).endsWith(' (deleted)')) return
  await chown(path, uid, gid)
}
