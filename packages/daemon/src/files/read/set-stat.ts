import { type BigIntStats, chmodSync, constants, utimesSync } from 'node:fs'
import { chmod, type FileHandle, open, utimes } from 'node:fs/promises'
import { O_PATH } from '../path/held-folder.ts'
import { naming } from '../path/naming.ts'
import type { SafePath } from '../path/safe-path.ts'
import type { Ways } from '../path/ways.ts'
import { type FileStat, secondsOf, setOn } from './file-stat.ts'
import { openFile } from './opening.ts'
import { holdStraight } from './straight.ts'

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

const isPath = (of: SafePath | FileHandle): of is SafePath => Array.isArray(of)
