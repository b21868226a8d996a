import { chmod, chown, lchown, lstat } from 'node:fs/promises'
import { codeOf } from './error-code.ts'
import type { HeldFolder } from './held-folder.ts'

/** Folders that are nested more deeply are no server's: each level holds a descriptor. */
const deepest = 256

interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * Gives a server's folder and all that is in it to its user; others may not look into it. The folder itself is last, so
 * that what was interrupted begins anew. Links are given, never followed. A file with a second name may belong to
 * somebody else by that one: it stays as it is.
 */
export async function giveAway(folder: HeldFolder, owner: Owner): Promise<void> {
  await giveContent(folder, owner, 0)
  await chmod(folder.path, 0o700)
  await chown(folder.path, owner.uid, owner.gid)
}

async function giveContent(folder: HeldFolder, owner: Owner, depth: number): Promise<void> {
  if (depth > deepest) throw new Error('the folders of the server are nested too deeply to be given to its user')
  for (const entry of await folder.entries()) {
    try {
      if (entry.isDirectory()) {
        await using inner = await folder.enter(entry.name)
        await giveContent(inner, owner, depth + 1)
        await chown(inner.path, owner.uid, owner.gid)
      } else {
        const { nlink } = await lstat(folder.at(entry.name))
        if (nlink === 1) await lchown(folder.at(entry.name), owner.uid, owner.gid)
      }
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}
