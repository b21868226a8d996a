import { DatabaseSync } from 'node:sqlite'

/** A lock that this process has taken. The caller must keep it: one that is garbage-collected is released. */
export interface FileLock {
  release(): void
}

const sqliteBusy = 5

/**
 * Locks a file for this process; `undefined` when another process has it. The file is created when it is missing and
 * stays afterwards. The kernel releases the lock however the process ends, so there is no stale lock to remove, and only
 * those who may open the file can take it: it belongs in a folder that no server process may enter.
 *
 * Node.js has no call for file locks, SQLite has: the lock is a write transaction on an empty database.
 */
export function tryLockFile(path: string): FileLock | undefined {
  const database = new DatabaseSync(path)
  try {
    // Nothing is ever written, so no journal is needed.
    database.exec('PRAGMA journal_mode = OFF; BEGIN IMMEDIATE')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return undefined
    throw error
  }
  return { release: () => database.close() }
}
