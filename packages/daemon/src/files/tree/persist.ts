import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Crew } from '../crew.ts'
import type { HeldFolder, RawName } from '../path/held-folder.ts'
import { walkBelow } from './walk.ts'

const run = promisify(execFile)

/** From so many files on, one order to the disk as a whole is cheaper than one for each file. */
const many = 64
/** So many are waited for side by side. */
const together = 8

/** Makes a tree of ours, in which there are about so many files, survive a power loss: names, times and content. */
export async function persistTree(folder: HeldFolder, files: number, signal: AbortSignal): Promise<void> {
  if (files >= many && (await persistDisk(folder, signal))) return
  const crew = new Crew(together)
  try {
    await folder.sync()
    for await (const { folder: above, name, stats } of walkBelow(await folder.enter('.'), { signal })) {
      if (stats.isFile() || stats.isDirectory()) await crew.take((await begun(above, name)).done)
    }
  } finally {
    await crew.end()
  }
}

/**
 * Writes out all that waits for the disk of a folder. Node has no call for it, the program of every Linux has. Where it is
 * missing or fails, each file has to be asked for, which also says what is wrong.
 */
async function persistDisk(folder: HeldFolder, signal: AbortSignal): Promise<boolean> {
  try {
    await run('sync', ['-f', '.'], { cwd: folder.path, signal })
    return true
  } catch {
    signal.throwIfAborted()
    return false
  }
}

/** Opened while its folder is held; the rest goes on without that. */
async function begun(folder: HeldFolder, name: RawName): Promise<{ readonly done: Promise<void> }> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const opened = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const sync = async () => {
    await using file = opened
    await file.sync()
  }
  return { done: sync() }
}
