import { randomUUID } from 'node:crypto'
import { rename, rmdir, unlink } from 'node:fs/promises'
import { codeOf } from './error-code.ts'
import type { HeldFolder, RawName } from './held-folder.ts'

/** How often it looks again for what appeared meanwhile, before it gives up. */
const rounds = 10

/**
 * Removes all that is in a folder; links are removed, never followed. Deeper folders are first moved up into the folder
 * itself, so that two descriptors are enough for any depth.
 */
export async function emptyFolder(folder: HeldFolder, signal?: AbortSignal): Promise<void> {
  await folder.makeWritable()
  for (let round = 0; round < rounds; round++) {
    const waiting = await folder.entries()
    if (waiting.length === 0) return
    const folders: RawName[] = []
    for (const entry of waiting) {
      if (entry.isDirectory()) folders.push(entry.name)
      else await unlessGone(unlink(folder.at(entry.name)))
    }
    for (let name = folders.pop(); name !== undefined; name = folders.pop()) {
      signal?.throwIfAborted()
      folders.push(...(await dissolve(folder, name)))
    }
  }
  const left = await folder.entries()
  if (left.length > 0) throw new Error('The folder cannot be emptied: something keeps writing into it')
}

/** Removes a folder in `top`, and gives the names under which the folders that were in it now stand in `top`. */
async function dissolve(top: HeldFolder, name: RawName): Promise<RawName[]> {
  const moved: RawName[] = []
  {
    await using inner = await top.enter(name)
    await inner.makeWritable()
    for (const entry of await inner.entries()) {
      if (!entry.isDirectory()) {
        await unlessGone(unlink(inner.at(entry.name)))
      } else if (!(await removedEmpty(inner, entry.name))) {
        const fresh = `.removing-${randomUUID()}`
        await moveUp(inner, entry.name, top.at(fresh))
        moved.push(fresh)
      }
    }
  }
  // What was written into it meanwhile is found in the next round.
  await removedEmpty(top, name)
  return moved
}

async function removedEmpty(folder: HeldFolder, name: RawName): Promise<boolean> {
  try {
    await rmdir(folder.at(name))
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) return false
    throw error
  }
}

async function moveUp(from: HeldFolder, name: RawName, to: string): Promise<void> {
  try {
    await rename(from.at(name), to)
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
    // A folder that changes its parent must be writable itself.
    {
      await using stubborn = await from.enter(name)
      await stubborn.makeWritable()
    }
    await rename(from.at(name), to)
  }
}

async function unlessGone(removing: Promise<void>): Promise<void> {
  try {
    await removing
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
