import { type BigIntStats, closeSync, constants, ftruncateSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { codeOf } from '../error-code.ts'
import type { HeldFolder, RawName } from '../path/held-folder.ts'
import { naming } from '../path/naming.ts'
import type { SafePath } from '../path/safe-path.ts'
import type { Opened, Ways } from '../path/ways.ts'
import { OpenedFile } from './opened-file.ts'
import { openHere, type Soon, type StraightOpened } from './straight.ts'

/** One by one what a file is opened for; reading, when nothing is said. */
export interface Flags {
  readonly read?: boolean
  readonly write?: boolean
  /** Whatever is written goes to the end. */
  readonly append?: boolean
  /** Makes a missing file. */
  readonly create?: boolean
  /** Makes a file that must be missing. */
  readonly exclusive?: boolean
  /** Cuts off what is in it. */
  readonly truncate?: boolean
}

const usual = {
  read: { read: true },
  append: { append: true, create: true },
  update: { read: true, write: true, create: true },
} as const satisfies Record<string, Flags>

/** `append` and `update` make a missing file; `update` reads and writes anywhere. Nothing is cut off. */
export type Opening = keyof typeof usual | Flags

/** Opens a regular file; whoever opens it closes it. */
export async function openFile(ways: Ways, path: SafePath, opening: Opening): Promise<FileHandle> {
  return (await opened(ways, path, opening)).file
}

/**
 * Opens a regular file for somebody who takes it in pieces; whoever opens it closes it. A file that may have to be made is
 * always opened by a thread: making one can take the disk long.
 */
export function openForPieces(ways: Ways, path: SafePath, opening: Flags): Soon<OpenedFile> {
  const { pace } = ways
  const bits = bitsOf(opening)
  if (!pace.isQuick) return byThreads(ways, path, opening)
  const prepare = (found: StraightOpened | undefined) => found && prepared(ways, found, opening)
  if (mayCreate(opening)) {
    return ways.openByThread(path, bits).then((found) => prepare(found) ?? byThreads(ways, path, opening))
  }
  return pace.atOnce(() => prepare(ways.openAtOnce(path, bits))) ?? byThreads(ways, path, opening)
}

/** A file in a held folder, which may be let go of as soon as this returns; opened at once where the disk is quick. */
export function openToRead(
  ways: Ways,
  { folder, name, path }: { readonly folder: HeldFolder; readonly name: RawName; readonly path: SafePath },
): Soon<OpenedFile> {
  const { pace } = ways
  const flags = constants.O_RDONLY
  try {
    if (pace.isQuick)
      return pace.atOnce(() => fileOf(openHere(folder, name, flags, (found) => ways.check(found, path))))
  } catch (error) {
    if (codeOf(error) === '') throw error
    // The way by threads has words for it.
  }
  return byThread(folder.share())

  function fileOf({ fd, found }: StraightOpened): OpenedFile {
    return new OpenedFile(fd, found, pace)
  }

  async function byThread(held: HeldFolder): Promise<OpenedFile> {
    await using parent = held
    const { file, found } = await naming(path, () => ways.openIn(parent, name, flags, path))
    return new OpenedFile(file.fd, found, pace, file)
  }
}

async function byThreads(ways: Ways, path: SafePath, opening: Flags): Promise<OpenedFile> {
  const { file, found } = await opened(ways, path, opening)
  return new OpenedFile(file.fd, opening.truncate ? empty : found, ways.pace, file)
}

/** To cut off more than this takes a while. */
const soonCutOff = 1024n * 1024n
const empty = { size: 0n }

/** `undefined` when that is for threads. */
function prepared(ways: Ways, file: StraightOpened, opening: Flags): OpenedFile | undefined {
  const { fd, found } = file
  try {
    if (opening.truncate && found.size > soonCutOff) {
      closeSync(fd)
      return undefined
    }
    if (mayCreate(opening) && found.size === 0n) ways.ownAtOnce(file)
    if (opening.truncate && !isFresh(found)) ftruncateSync(fd, 0)
    return new OpenedFile(fd, opening.truncate ? empty : found, ways.pace)
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

async function opened(ways: Ways, path: SafePath, opening: Opening): Promise<Opened> {
  const flags: Flags = typeof opening === 'string' ? usual[opening] : opening
  return await naming(path, async () => {
    const { file, found } = await ways.open(path, bitsOf(flags))
    try {
      if (mayCreate(flags) && found.size === 0n) await ways.own(file.fd, found)
      // Not by opening it: only now it is known to be a file of the server.
      if (flags.truncate && !isFresh(found)) await file.truncate(0)
      return { file, found }
    } catch (error) {
      await file.close()
      throw error
    }
  })
}

const mayCreate = ({ create, exclusive }: Flags): boolean => create === true || exclusive === true

/** Whether there is nothing to cut off, and its time is that of now already. */
function isFresh({ size, mtimeNs }: BigIntStats): boolean {
  return size === 0n && Math.abs(Date.now() - Number(mtimeNs) / 1e6) < 1000
}

function bitsOf({ read, write, append, create, exclusive, truncate }: Flags): number {
  const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants
  const writes = write || append || truncate
  const access = writes ? (read ? O_RDWR : O_WRONLY) : O_RDONLY
  return access | (append ? O_APPEND : 0) | (create ? O_CREAT : 0) | (exclusive ? O_CREAT | O_EXCL : 0)
}
