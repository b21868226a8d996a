import { mkdirSync } from 'node:fs'
import { type FileLock, tryLockFile } from '@innkeeper/daemon/keeper/process/file-lock'
import { RunFolder, runFolderOf } from '@innkeeper/daemon/keeper/run-folder'

/** The data folder is in use by another Innkeeper on this machine. */
export class DataDirLockedError extends Error {
  override readonly name = 'DataDirLockedError'
}

/**
 * Locks a data folder for this process. The lock file is in a folder that no server process and no other user can
 * enter.
 */
export function lockData(dataDir: string): FileLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  using folder = new RunFolder(runFolderOf(dataDir))
  const lock = tryLockFile(folder.file('innkeeper.lock'))
  if (!lock) throw new DataDirLockedError(`Another Innkeeper is using the data folder ${dataDir}.`)
  return lock
}
