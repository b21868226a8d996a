import type { BigIntStats } from 'node:fs'
import { constants } from 'node:fs'
import { chmod, type FileHandle, open, utimes } from 'node:fs/promises'
import { O_PATH } from './held-folder.ts'
import { naming } from './naming.ts'
import { openFile } from './opening.ts'
import type { SafePath } from './safe-path.ts'
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
  if (!isPath(of)) return await setOn(of, wanted)
  if (wanted.size !== undefined) {
    await using file = await openFile(ways, of, { write: true })
    return await setOn(file, wanted)
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

async function setOn(file: FileHandle, { size, mode, modified, accessed }: FileStat): Promise<void> {
  if (size !== undefined) await file.truncate(size)
  if (mode !== undefined) await file.chmod(mode & 0o777)
  if (modified || accessed) {
    const { atimeNs, mtimeNs } = await file.stat({ bigint: true })
    await file.utimes(accessed ?? secondsOf(atimeNs), modified ?? secondsOf(mtimeNs))
  }
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
