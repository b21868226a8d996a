import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ConcurrencyLimiter } from '../../concurrency/concurrency-limiter.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { walkBelow } from './walk.ts'

const run = promisify(execFile)

/** From this number of files, syncing the whole file system is cheaper than each file. */
export const syncDiskFromFiles = 64
/** Number of concurrent fsyncs. */
const concurrency = 8

/** Syncs a tree with about this many files: names, times and content. */
export async function syncTree(folder: DirHandle, files: number, signal: AbortSignal): Promise<void> {
  if (files >= syncDiskFromFiles && (await syncDisk(folder, signal))) return
  await using limiter = new ConcurrencyLimiter(concurrency)
  await folder.sync()
  for await (const { folder: above, name, stats } of walkBelow(await folder.openDir('.'), { signal })) {
    if (stats.isFile() || stats.isDirectory()) await limiter.add((await startSync(above, name)).done)
  }
  await limiter.end()
}

/**
 * Syncs the file system of a directory. Node.js has no syncfs, coreutils have `sync -f`. If it is missing or fails,
 * each file is synced, which also reports errors.
 */
async function syncDisk(folder: DirHandle, signal: AbortSignal): Promise<boolean> {
  const isSynced = await run('sync', ['-f', '.'], { cwd: folder.path, signal }).then(
    () => true,
    () => false,
  )
  signal.throwIfAborted()
  return isSynced
}

/** Opened while its directory is open; the sync itself runs without it. */
async function startSync(folder: DirHandle, name: RawName): Promise<{ readonly done: Promise<void> }> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const opened = await open(folder.pathTo(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const sync = async () => {
    await using file = opened
    await file.sync()
  }
  return { done: sync() }
}
