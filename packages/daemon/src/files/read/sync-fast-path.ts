import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, open, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { codeOf } from '../error-code.ts'
import { type DirHandle, O_PATH, type RawName } from '../path/dir-handle.ts'
import { nameOf, type SafePath } from '../path/safe-path.ts'

/** Longer ways take too long for one go. */
const maxDepth = 32

/** A result, at once or later. */
export type MaybePromise<T> = T | Promise<T>

/** What there is to say at once, in a box: `undefined` itself is an answer too. */
export interface SyncResult<T> {
  readonly answer: T
}

/**
 * Acts without a thread in the folder that the last name of a path is in. Only a plain way leads there: `undefined` with
 * a link on it, and when the system says no to anything; a name that is missing has the answer `missing`. All that is for those who ask by
 * threads, follow links inside, and have words for every trouble.
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

/** What is at the end of a path; no answer for a link, unless it is to stand for itself. */
export function lstatSyncFast(
  root: DirHandle,
  path: SafePath,
  followLast: boolean,
): SyncResult<BigIntStats | undefined> | undefined {
  const stat = (folder: DirHandle, name: string) => {
    const answer = lstatSync(folder.pathTo(name), { bigint: true, throwIfNoEntry: false })
    return followLast && answer?.isSymbolicLink() ? undefined : { answer }
  }
  // In a folder that is missing nothing is.
  return runSync(root, path, stat, { answer: undefined })
}

/** A regular file that was opened; whoever opens it closes it. */
export interface OpenedFd {
  readonly fd: number
  readonly stats: BigIntStats
}

type Check = (stats: BigIntStats) => void

/** Opens something that passes the check. */
export function openSyncFast(root: DirHandle, path: SafePath, flags: number, check: Check): OpenedFd | undefined {
  return runSync(root, path, (folder, name) => ({ answer: openSyncIn(folder, name, flags, check) }))?.answer
}

/** Opens something in a held folder that passes the check. @throws what the system says. */
export function openSyncIn(folder: DirHandle, name: RawName, flags: number, check: Check): OpenedFd {
  return checked(openSync(folder.pathTo(name), flags | noFollow, newMode), check)
}

/** Like `openStraight`, but a thread does the opening itself, which is what takes long of a new file. */
export async function openAsyncFast(
  root: DirHandle,
  path: SafePath,
  flags: number,
  check: Check,
): Promise<OpenedFd | undefined> {
  const folder = runSync(root, path, (held) => ({ answer: held.dup() }))?.answer
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

/** Holds the very thing at the end of a path, a link too, without the right to read it. */
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
