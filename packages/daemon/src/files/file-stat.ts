import {
  type BigIntStats,
  chmodSync,
  constants,
  fchmod,
  fchmodSync,
  fstat,
  fstatSync,
  ftruncate,
  futimes,
  futimesSync,
  utimesSync,
} from 'node:fs'
import { chmod, type FileHandle, open, utimes } from 'node:fs/promises'
import { promisify } from 'node:util'
import { O_PATH } from './held-folder.ts'
import { naming } from './naming.ts'
import { openFile } from './opening.ts'
import type { SafePath } from './safe-path.ts'
import { holdStraight } from './straight.ts'
import type { Ways } from './ways.ts'

/** What of a file or folder can be set from outside. */
export interface FileStat {
  /** Only the permission bits are taken. */
  readonly mode?: number | undefined
  readonly modified?: Date | undefined
  readonly accessed?: Date | undefined
  /** Of files only. */
  readonly size?: number | undefined
}

export async function setStat(ways: Ways, of: SafePath | FileHandle, wanted: FileStat): Promise<void> {
  if (!isPath(of)) return await setOn(of.fd, wanted)
  if (wanted.size !== undefined) {
    await using file = await openFile(ways, of, { write: true })
    return await setOn(file.fd, wanted)
  }
  await naming(of, async () => {
    if (of.length === 0) return await setAt(ways.root.path, await ways.root.stat(), wanted)
    const { folder, name } = await ways.reach(of, { followLast: true })
    await using _ = folder
    // Holds the very thing, whatever gets its name meanwhile, without the right to read it.
    await using held = await open(folder.at(name), O_PATH | constants.O_NOFOLLOW)
    const found = await held.stat({ bigint: true })
    if (!found.isDirectory()) ways.check(found, of)
    await setAt(`/proc/self/fd/${held.fd}`, found, wanted)
  })
}

/** Sets what is given by threads, of an open file. */
export async function setOn(fd: number, { size, mode, modified, accessed }: FileStat): Promise<void> {
  if (size !== undefined) await threaded.truncate(fd, size)
  if (mode !== undefined) await threaded.chmod(fd, mode & 0o777)
  if (modified || accessed) {
    const { atimeNs, mtimeNs } = await threaded.stat(fd, { bigint: true })
    await threaded.utimes(fd, accessed ?? secondsOf(atimeNs), modified ?? secondsOf(mtimeNs))
  }
}

const threaded = {
  chmod: promisify(fchmod),
  stat: promisify(fstat),
  truncate: promisify(ftruncate),
  utimes: promisify(futimes),
}

/** Sets what is given but for the size without a thread, of an open file. */
export function setOnAtOnce(fd: number, { mode, modified, accessed }: FileStat): void {
  if (mode !== undefined) fchmodSync(fd, mode & 0o777)
  if (modified || accessed) {
    const { atimeNs, mtimeNs } = fstatSync(fd, { bigint: true })
    futimesSync(fd, accessed ?? secondsOf(atimeNs), modified ?? secondsOf(mtimeNs))
  }
}

/** Like `setStat`, without a thread and but for the size; false when that cannot be done so. */
export function setStatAtOnce(ways: Ways, path: SafePath, wanted: FileStat): boolean {
  if (wanted.size !== undefined) return false
  const { mode, modified, accessed } = wanted
  const done = holdStraight(ways.root, path, (held, found) => {
    if (found.isSymbolicLink()) return undefined
    if (!found.isDirectory()) ways.check(found, path)
    if (mode !== undefined) chmodSync(held, mode & 0o777)
    if (modified || accessed) {
      utimesSync(held, accessed ?? secondsOf(found.atimeNs), modified ?? secondsOf(found.mtimeNs))
    }
    return { answer: true }
  })
  return done !== undefined
}

/** On what a path to a descriptor stands for, and nothing else. */
async function setAt(path: string, now: BigIntStats, { mode, modified, accessed }: FileStat): Promise<void> {
  if (mode !== undefined) await chmod(path, mode & 0o777)
  if (modified || accessed) {
    await utimes(path, accessed ?? secondsOf(now.atimeNs), modified ?? secondsOf(now.mtimeNs))
  }
}

const secondsOf = (nanoseconds: bigint): number => Number(nanoseconds) / 1e9

const isPath = (of: SafePath | FileHandle): of is SafePath => Array.isArray(of)
