import { chmodSync, existsSync, mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type FileLock, tryLockFile } from '@innkeeper/daemon/keeper/process/file-lock'
import { getRunFolder, RunFolder } from '@innkeeper/daemon/keeper/protocol'

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
  using folder = new RunFolder(getRunFolder(dataDir))
  const lock = tryLockFile(folder.file('innkeeper.lock'))
  if (!lock) throw new DataDirLockedError(`Another Innkeeper is using the data folder ${dataDir}.`)
  return lock
}

/** The database file is in use by another panel on this machine. */
export class DatabaseLockedError extends Error {
  override readonly name = 'DatabaseLockedError'
}

/**
 * Locks an embedded database for this panel, by any path of its file: caches, queues and sessions of two panels on one
 * file would contradict each other. Returns undefined for a database on a server, which several panels may share.
 */
export function lockDatabase(url: string): FileLock | undefined {
  const path = /^sqlite:(?<path>.+)$/.exec(url)?.groups?.path
  if (path === undefined || path === ':memory:') return undefined
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))
  const lock = tryLockFile(`${file}.lock`)
  if (!lock) throw new DatabaseLockedError(`Another panel is using the database ${path}.`)
  chmodSync(`${file}.lock`, 0o600)
  return lock
}
