import { constants } from 'node:fs'
import { chmod, chown, open, readlink } from 'node:fs/promises'
import { codeOf } from '../../errors/error-code.ts'
import type { Owner } from '../../fs/owner.ts'
import { type DirHandle, O_PATH, type RawName } from './dir-handle.ts'

/** Maximum depth: each level needs a descriptor. */
const maxDepth = 256

/**
 * Changes the owner of a server's directory and all of its contents; others cannot look into it. The directory itself
 * is last, so that an interrupted run starts again. Links are changed, never followed. A file with several hard links
 * may belong to another user by another name: it is changed only when all of its names are in this directory.
 */
export async function chownTree(folder: DirHandle, owner: Owner): Promise<void> {
  const names = new Map<string, number>()
  await chownContents(folder, { owner, names, own: new Set() }, 0)
  const own = new Set([...names].flatMap(([file, missing]) => (missing === 0 ? [file] : [])))
  if (own.size > 0) await chownContents(folder, { owner, names: new Map(), own }, 0)
  await chmod(folder.path, 0o700)
  await chown(folder.path, owner.uid, owner.gid)
}

interface Change {
  readonly owner: Owner
  /** Files with several hard links, and how many of their names were not found yet. */
  readonly names: Map<string, number>
  /** Those whose names are all in the directory. */
  readonly own: ReadonlySet<string>
}

async function chownContents(folder: DirHandle, change: Change, depth: number): Promise<void> {
  const { owner } = change
  if (depth > maxDepth) throw new Error('the directories of the server are nested too deeply to change their owner')
  for (const entry of await folder.entries()) {
    try {
      if (entry.isDirectory()) {
        await using inner = await folder.openDir(entry.name)
        await chownContents(inner, change, depth + 1)
        await chown(inner.path, owner.uid, owner.gid)
      } else {
        await chownFile(folder, entry.name, change)
      }
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

/**
 * Changes a file through a descriptor, so that it cannot be replaced. Another hard link may have been removed before
 * links are counted; then the kernel reports the opened name as deleted.
 */
async function chownFile(folder: DirHandle, name: RawName, { owner, names, own }: Change): Promise<void> {
  await using file = await open(folder.pathTo(name), O_PATH | constants.O_NOFOLLOW)
  const path = `/proc/self/fd/${file.fd}`
  const { nlink, dev, ino } = await file.stat({ bigint: true })
  const id = `${dev}:${ino}`
  if (nlink > 1n) names.set(id, (names.get(id) ?? Number(nlink)) - 1)
  const isOwn = nlink === 1n || own.has(id)
  if (!isOwn || (await readlink(path)).endsWith(' (deleted)')) return
  await chown(path, owner.uid, owner.gid)
}
