import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, open, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { codeOf } from '../error-code.ts'
import { type DirHandle, O_PATH, type RawName } from '../path/dir-handle.ts'
import { nameOf, type SafePath } from '../path/safe-path.ts'

/** Deeper paths take too long synchronously. */
const maxDepth = 32

/** A result that is synchronous where possible. */
export type MaybePromise<T> = T | Promise<T>

/** A wrapper for the result, so that a found `undefined` differs from "use the asynchronous version". */
export interface SyncResult<T> {
  readonly result: T
}

/**
 * Runs `act` synchronously in the parent directory of a path. Returns undefined when the path contains a link or any
 * system call fails: the asynchronous version then follows links and reports errors. A missing name returns `missing`.
 */
export function runSync<T>(
  root: DirHandle,
  path: SafePath,
  act: (folder: DirHandle, name: string) => SyncResult<T> | undefined,
  missing?: SyncResult<T>,
): SyncResult<T> | undefined {
  if (path.length === 0 || path.length > maxDepth) return undefined
  let folder = root.dup()
  try {
    for (const name of path.slice(0, -1)) {
      const next = folder.openDirSync(name)
      folder.close()
      folder = next
    }
    return act(folder, nameOf(path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return missing
    if (codeOf(error) === '') throw error
    return undefined
  } finally {
    folder.close()
  }
}

/** The stats at a path; undefined for a link that is to be followed. */
export function lstatSyncFast(
  root: DirHandle,
  path: SafePath,
  followLast: boolean,
): SyncResult<BigIntStats | undefined> | undefined {
  const stat = (folder: DirHandle, name: string) => {
    const result = lstatSync(folder.pathTo(name), { bigint: true, throwIfNoEntry: false })
    return followLast && result?.isSymbolicLink() ? undefined : { result }
  }
  // Nothing exists in a missing directory.
  return runSync(root, path, stat, { result: undefined })
}

/** An open regular file. The caller must close it. */
export interface OpenedFd {
  readonly fd: number
  readonly stats: BigIntStats
}

type Check = (stats: BigIntStats) => void

/** Opens a file that passes the check. */
export function openSyncFast(root: DirHandle, path: SafePath, flags: number, check: Check): OpenedFd | undefined {
  return runSync(root, path, (folder, name) => ({ result: openSyncIn(folder, name, flags, check) }))?.result
}

/** Opens a file in a directory that passes the check. Throws system errors. */
export function openSyncIn(folder: DirHandle, name: RawName, flags: number, check: Check): OpenedFd {
  return checked(openSync(folder.pathTo(name), flags | noFollow, newMode), check)
}

/** Like `openSyncFast`, but the open itself is asynchronous, which takes long for a new file. */
export async function openAsyncFast(
  root: DirHandle,
  path: SafePath,
  flags: number,
  check: Check,
): Promise<OpenedFd | undefined> {
  const folder = runSync(root, path, (held) => ({ result: held.dup() }))?.result
  if (!folder) return undefined
  try {
    return checked(await opened(folder.pathTo(nameOf(path)), flags | noFollow, newMode), check)
  } catch (error) {
    if (codeOf(error) === '') throw error
    return undefined
  } finally {
    folder.close()
  }
}

const opened = promisify(open)
const noFollow = constants.O_NOFOLLOW | constants.O_NONBLOCK
const newMode = 0o644

function checked(fd: number, check: Check): OpenedFd {
  try {
    const stats = fstatSync(fd, { bigint: true })
    check(stats)
    return { fd, stats }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Opens the file or link at a path with O_PATH, without read permission. */
export function openPathSyncFast<T>(
  root: DirHandle,
  path: SafePath,
  act: (path: string, stats: BigIntStats) => SyncResult<T> | undefined,
): SyncResult<T> | undefined {
  return runSync(root, path, (folder, name) => {
    const fd = openSync(folder.pathTo(name), O_PATH | constants.O_NOFOLLOW)
    try {
      return act(`/proc/self/fd/${fd}`, fstatSync(fd, { bigint: true }))
    } finally {
      closeSync(fd)
    }
  })
}
