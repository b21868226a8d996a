import type { Dirent } from 'node:fs'
import { lstat, rename, rmdir, unlink } from 'node:fs/promises'
import { settleAll } from '../../concurrency/settle-all.ts'
import { getCode, ignoreErrors } from '../../errors/error-code.ts'
import { ifExists } from '../../fs/if-exists.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { temporaryName } from '../path/names.ts'
import type { Progress } from './progress.ts'

/** Number of rounds for entries that appear meanwhile, before it fails. */
const rounds = 10
/** Number of files removed concurrently. */
const concurrency = 64

export interface RemoveOptions {
  readonly signal?: AbortSignal | undefined
  /** Counts removed entries. */
  readonly progress?: Progress | undefined
}

/** Removes an entry of a directory, with its contents. */
export async function removeIn(folder: DirHandle, name: RawName, options: RemoveOptions = {}): Promise<void> {
  const stats = await lstat(folder.pathTo(name))
  if (stats.isDirectory()) {
    {
      await using inner = await folder.openDir(name)
      await removeContents(inner, options)
    }
    await rmdir(folder.pathTo(name))
  } else {
    await unlink(folder.pathTo(name))
  }
  if (options.progress) options.progress.entries++
}

/**
 * Removes the contents of a directory; links are removed, never followed. Subdirectories are first moved up into the
 * directory itself, so that two descriptors suffice for any depth.
 */
export async function removeContents(folder: DirHandle, options: RemoveOptions = {}): Promise<void> {
  await folder.makeWritable()
  for (let round = 0; round < rounds; round++) {
    const waiting = await folder.entries()
    if (waiting.length === 0) return
    const folders = waiting.filter((entry) => entry.isDirectory()).map(({ name }): RawName => name)
    await removeFiles(folder, waiting, options)
    for (let name = folders.pop(); name !== undefined; name = folders.pop()) {
      options.signal?.throwIfAborted()
      folders.push(...(await hoistChildren(folder, name, options)))
    }
  }
  const left = await folder.entries()
  if (left.length > 0) throw new Error('The directory cannot be emptied: something keeps writing to it')
}

/** Removes a directory in `top` and moves its subdirectories up into `top`. Returns their new names. */
async function hoistChildren(top: DirHandle, name: RawName, options: RemoveOptions): Promise<RawName[]> {
  const moved: RawName[] = []
  {
    await using inner = await top.openDir(name)
    await inner.makeWritable()
    const entries = await inner.entries()
    await removeFiles(inner, entries, options)
    for (const entry of entries) {
      if (!entry.isDirectory()) continue
      if (await tryRmdir(inner, entry.name)) {
        if (options.progress) options.progress.entries++
      } else {
        const fresh = temporaryName()
        await moveToParent(inner, entry.name, top.pathTo(fresh))
        moved.push(fresh)
      }
    }
  }
  // Files written meanwhile are found in the next round.
  if ((await tryRmdir(top, name)) && options.progress) options.progress.entries++
  return moved
}

async function removeFiles(folder: DirHandle, entries: readonly Dirent<Buffer>[], { signal, progress }: RemoveOptions) {
  const files = entries.filter((entry) => !entry.isDirectory())
  for (let at = 0; at < files.length; at += concurrency) {
    signal?.throwIfAborted()
    const nextBatch = files.slice(at, at + concurrency)
    await settleAll(nextBatch.map(({ name }) => ifExists(unlink(folder.pathTo(name)))))
    if (progress) progress.entries += nextBatch.length
  }
}

async function tryRmdir(folder: DirHandle, name: RawName): Promise<boolean> {
  const isRemoved = await rmdir(folder.pathTo(name)).then(() => true, ignoreErrors('ENOTEMPTY', 'EEXIST'))
  return isRemoved ?? false
}

async function moveToParent(from: DirHandle, name: RawName, to: string): Promise<void> {
  await rename(from.pathTo(name), to).catch(async (error: unknown) => {
    if (getCode(error) !== 'EACCES') throw error
    // A directory must be writable to change its parent.
    {
      await using stubborn = await from.openDir(name)
      await stubborn.makeWritable()
    }
    await rename(from.pathTo(name), to)
  })
}
