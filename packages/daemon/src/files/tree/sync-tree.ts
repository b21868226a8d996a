import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ConcurrencyLimiter } from '../concurrency-limiter.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { walkBelow } from './walk.ts'

const run = promisify(execFile)

/** From so many files on, one order to the disk as a whole is cheaper than one for each file. */
const syncDiskFromFiles = 64
/** So many are waited for side by side. */
const concurrency = 8

/** Makes a tree of ours, in which there are about so many files, survive a power loss: names, times and content. */
export async function syncTree(folder: DirHandle, files: number, signal: AbortSignal): Promise<void> {
  if (files >= syncDiskFromFiles && (await syncDisk(folder, signal))) return
  const limiter = new ConcurrencyLimiter(concurrency)
  try {
    await folder.sync()
    for await (const { folder: above, name, stats } of walkBelow(await folder.openDir('.'), { signal })) {
      if (stats.isFile() || stats.isDirectory()) await limiter.add((await startSync(above, name)).done)
    }
  } finally {
    await limiter.end()
  }
}

/**
 * Writes out all that waits for the disk of a folder. Node has no call for it, the program of every Linux has. Where it is
 * missing or fails, each file has to be asked for, which also says what is wrong.
 */
async function syncDisk(folder: DirHandle, signal: AbortSignal): Promise<boolean> {
  try {
    await run('sync', ['-f', '.'], { cwd: folder.path, signal })
    return true
  } catch {
    signal.throwIfAborted()
    return false
  }
}

/** Opened while its folder is held; the rest goes on without that. */
async function startSync(folder: DirHandle, name: RawName): Promise<{ readonly done: Promise<void> }> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const opened = await open(folder.pathTo(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const sync = async () => {
    await using file = opened
    await file.sync()
  }
  return { done: sync() }
}
