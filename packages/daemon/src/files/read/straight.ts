import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, open, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { codeOf } from '../error-code.ts'
import { type HeldFolder, O_PATH, type RawName } from '../path/held-folder.ts'
import { nameOf, type SafePath } from '../path/safe-path.ts'

/** Longer ways take too long for one go. */
const longest = 32

/** A result, at once or later. */
export type Soon<T> = T | Promise<T>

/** What there is to say at once, in a box: `undefined` itself is an answer too. */
export interface AtOnce<T> {
  readonly answer: T
}

/**
 * Acts without a thread in the folder that the last name of a path is in. Only a plain way leads there: `undefined` with
 * a link on it, and when the system says no to anything; a name that is missing has the answer `missing`. All that is for those who ask by
 * threads, follow links inside, and have words for every trouble.
 */
export function straight<T>(
  root: HeldFolder,
  path: SafePath,
  act: (folder: HeldFolder, name: string) => AtOnce<T> | undefined,
  missing?: AtOnce<T>,
): AtOnce<T> | undefined {
  if (path.length === 0 || path.length > longest) return undefined
  let folder = root.share()
  try {
    for (const name of path.slice(0, -1)) {
      const next = folder.enterAtOnce(name)
      folder.letGo()
      folder = next
    }
    return act(folder, nameOf(path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return missing
    if (codeOf(error) === '') throw error
    return undefined
  } finally {
    folder.letGo()
  }
}

/** What is at the end of a path; no answer for a link, unless it is to stand for itself. */
export function lookStraight(
  root: HeldFolder,
  path: SafePath,
  followLast: boolean,
): AtOnce<BigIntStats | undefined> | undefined {
  const look = (folder: HeldFolder, name: string) => {
    const answer = lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false })
    return followLast && answer?.isSymbolicLink() ? undefined : { answer }
  }
  // In a folder that is missing nothing is.
  return straight(root, path, look, { answer: undefined })
}

/** A regular file that was opened; whoever opens it closes it. */
export interface StraightOpened {
  readonly fd: number
  readonly found: BigIntStats
}

type Check = (found: BigIntStats) => void

/** Opens something that passes the check. */
export function openStraight(
  root: HeldFolder,
  path: SafePath,
  flags: number,
  check: Check,
): StraightOpened | undefined {
  return straight(root, path, (folder, name) => ({ answer: openHere(folder, name, flags, check) }))?.answer
}

/** Opens something in a held folder that passes the check. @throws what the system says. */
export function openHere(folder: HeldFolder, name: RawName, flags: number, check: Check): StraightOpened {
  return checked(openSync(folder.at(name), flags | unfollowed, newMode), check)
}

/** Like `openStraight`, but a thread does the opening itself, which is what takes long of a new file. */
export async function openStraightByThread(
  root: HeldFolder,
  path: SafePath,
  flags: number,
  check: Check,
): Promise<StraightOpened | undefined> {
  const folder = straight(root, path, (held) => ({ answer: held.share() }))?.answer
  if (!folder) return undefined
  try {
    return checked(await opened(folder.at(nameOf(path)), flags | unfollowed, newMode), check)
  } catch (error) {
    if (codeOf(error) === '') throw error
    return undefined
  } finally {
    folder.letGo()
  }
}

const opened = promisify(open)
const unfollowed = constants.O_NOFOLLOW | constants.O_NONBLOCK
const newMode = 0o644

function checked(fd: number, check: Check): StraightOpened {
  try {
    const found = fstatSync(fd, { bigint: true })
    check(found)
    return { fd, found }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Holds the very thing at the end of a path, a link too, without the right to read it. */
export function holdStraight<T>(
  root: HeldFolder,
  path: SafePath,
  act: (path: string, found: BigIntStats) => AtOnce<T> | undefined,
): AtOnce<T> | undefined {
  return straight(root, path, (folder, name) => {
    const fd = openSync(folder.at(name), O_PATH | constants.O_NOFOLLOW)
    try {
      return act(`/proc/self/fd/${fd}`, fstatSync(fd, { bigint: true }))
    } finally {
      closeSync(fd)
    }
  })
}
