import type { Dirent } from 'node:fs'
import { lstat, rename, rmdir, unlink } from 'node:fs/promises'
import { allOf } from '../all-of.ts'
import { codeOf } from '../error-code.ts'
import type { HeldFolder, RawName } from '../path/held-folder.ts'
import { temporaryName } from '../write/temporary.ts'
import type { Tally } from './tally.ts'

/** How often it looks again for what appeared meanwhile, before it gives up. */
const rounds = 10
/** So many files are removed together. */
const together = 64

export interface Removing {
  readonly signal?: AbortSignal | undefined
  /** Counts what was removed. */
  readonly progress?: Tally | undefined
}

/** Removes what has a name in a folder, with all that is in it. */
export async function removeIn(folder: HeldFolder, name: RawName, removing: Removing = {}): Promise<void> {
  const there = await lstat(folder.at(name))
  if (there.isDirectory()) {
    {
      await using inner = await folder.enter(name)
      await emptyFolder(inner, removing)
    }
    await rmdir(folder.at(name))
  } else {
    await unlink(folder.at(name))
  }
  if (removing.progress) removing.progress.entries++
}

/**
 * Removes all that is in a folder; links are removed, never followed. Deeper folders are first moved up into the folder
 * itself, so that two descriptors are enough for any depth.
 */
export async function emptyFolder(folder: HeldFolder, removing: Removing = {}): Promise<void> {
  await folder.makeWritable()
  for (let round = 0; round < rounds; round++) {
    const waiting = await folder.entries()
    if (waiting.length === 0) return
    const folders = waiting.filter((entry) => entry.isDirectory()).map(({ name }): RawName => name)
    await removeFiles(folder, waiting, removing)
    for (let name = folders.pop(); name !== undefined; name = folders.pop()) {
      removing.signal?.throwIfAborted()
      folders.push(...(await dissolve(folder, name, removing)))
    }
  }
  const left = await folder.entries()
  if (left.length > 0) throw new Error('The folder cannot be emptied: something keeps writing into it')
}

/** Removes a folder in `top`, and gives the names under which the folders that were in it now stand in `top`. */
async function dissolve(top: HeldFolder, name: RawName, removing: Removing): Promise<RawName[]> {
  const moved: RawName[] = []
  {
    await using inner = await top.enter(name)
    await inner.makeWritable()
    const entries = await inner.entries()
    await removeFiles(inner, entries, removing)
    for (const entry of entries) {
      if (!entry.isDirectory()) continue
      if (await removedEmpty(inner, entry.name)) {
        if (removing.progress) removing.progress.entries++
      } else {
        const fresh = temporaryName()
        await moveUp(inner, entry.name, top.at(fresh))
        moved.push(fresh)
      }
    }
  }
  // What was written into it meanwhile is found in the next round.
  if ((await removedEmpty(top, name)) && removing.progress) removing.progress.entries++
  return moved
}

async function removeFiles(folder: HeldFolder, entries: readonly Dirent<Buffer>[], { signal, progress }: Removing) {
  const files = entries.filter((entry) => !entry.isDirectory())
  for (let at = 0; at < files.length; at += together) {
    signal?.throwIfAborted()
    const some = files.slice(at, at + together)
    await allOf(some.map(({ name }) => unlessGone(unlink(folder.at(name)))))
    if (progress) progress.entries += some.length
  }
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
