import { DatabaseSync } from 'node:sqlite'

/** A lock of this process. The caller must keep a reference: it is released on garbage collection. */
export interface FileLock {
  release(): void
}

const sqliteBusy = 5

/**
 * Locks a file for this process. Returns undefined when another process has it. The file is created when missing and
 * stays afterwards. The kernel releases the lock when the process ends, so there are no stale locks. Only users who may
 * open the file can take it: it belongs in a directory that server processes cannot access. Node.js has no call for
 * file locks, SQLite has: the lock is a write transaction on an empty database.
 */
export function tryLockFile(path: string): FileLock | undefined {
  const database = new DatabaseSync(path)
  try {
    // Nothing is written, so no journal is needed.
    database.exec('PRAGMA journal_mode = OFF; BEGIN IMMEDIATE')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return undefined
    throw error
  }
  return { release: () => database.close() }
}
