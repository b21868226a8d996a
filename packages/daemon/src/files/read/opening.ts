import { type BigIntStats, closeSync, constants, ftruncateSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { codeOf } from '../error-code.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import type { SafePath } from '../path/safe-path.ts'
import type { OpenedHandle, TreeRoot } from '../path/tree-root.ts'
import { withRefusals } from '../path/with-refusals.ts'
import { OpenedFile } from './opened-file.ts'
import { type MaybePromise, type OpenedFd, openSyncIn } from './sync-fast-path.ts'

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

const presets = {
  read: { read: true },
  append: { append: true, create: true },
  update: { read: true, write: true, create: true },
} as const satisfies Record<string, Flags>

/** `append` and `update` make a missing file; `update` reads and writes anywhere. Nothing is cut off. */
export type Opening = keyof typeof presets | Flags

/** Opens a regular file; whoever opens it closes it. */
export async function openFile(tree: TreeRoot, path: SafePath, opening: Opening): Promise<FileHandle> {
  return (await opened(tree, path, opening)).file
}

/**
 * Opens a regular file for somebody who takes it in pieces; whoever opens it closes it. A file that may have to be made is
 * always opened by a thread: making one can take the disk long.
 */
export function openForPieces(tree: TreeRoot, path: SafePath, opening: Flags): MaybePromise<OpenedFile> {
  const { syncIo } = tree
  const bits = bitsOf(opening)
  if (!syncIo.mayBlock) return openAsync(tree, path, opening)
  const prepare = (stats: OpenedFd | undefined) => stats && prepareSync(tree, stats, opening)
  if (mayCreate(opening)) {
    return tree.openAsync(path, bits).then((stats) => prepare(stats) ?? openAsync(tree, path, opening))
  }
  return syncIo.runSync(() => prepare(tree.openSync(path, bits))) ?? openAsync(tree, path, opening)
}

/** A file in a held folder, which may be let go of as soon as this returns; opened at once where the disk is quick. */
export function openToRead(
  tree: TreeRoot,
  { folder, name, path }: { readonly folder: DirHandle; readonly name: RawName; readonly path: SafePath },
): MaybePromise<OpenedFile> {
  const { syncIo } = tree
  const flags = constants.O_RDONLY
  try {
    if (syncIo.mayBlock)
      return syncIo.runSync(() => fileOf(openSyncIn(folder, name, flags, (stats) => tree.check(stats, path))))
  } catch (error) {
    if (codeOf(error) === '') throw error
    // The way by threads has words for it.
  }
  return openAsyncIn(folder.dup())

  function fileOf({ fd, stats }: OpenedFd): OpenedFile {
    return new OpenedFile(fd, stats, syncIo)
  }

  async function openAsyncIn(held: DirHandle): Promise<OpenedFile> {
    await using parent = held
    const { file, stats } = await withRefusals(path, () => tree.openIn(parent, name, flags, path))
    return new OpenedFile(file.fd, stats, syncIo, file)
  }
}

async function openAsync(tree: TreeRoot, path: SafePath, opening: Flags): Promise<OpenedFile> {
  const { file, stats } = await opened(tree, path, opening)
  return new OpenedFile(file.fd, opening.truncate ? empty : stats, tree.syncIo, file)
}

/** To cut off more than this takes a while. */
const maxSyncTruncateBytes = 1024n * 1024n
const empty = { size: 0n }

/** `undefined` when that is for threads. */
function prepareSync(tree: TreeRoot, file: OpenedFd, opening: Flags): OpenedFile | undefined {
  const { fd, stats } = file
  try {
    if (opening.truncate && stats.size > maxSyncTruncateBytes) {
      closeSync(fd)
      return undefined
    }
    if (mayCreate(opening) && stats.size === 0n) tree.chownSync(file)
    if (opening.truncate && !isFresh(stats)) ftruncateSync(fd, 0)
    return new OpenedFile(fd, opening.truncate ? empty : stats, tree.syncIo)
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

async function opened(tree: TreeRoot, path: SafePath, opening: Opening): Promise<OpenedHandle> {
  const flags: Flags = typeof opening === 'string' ? presets[opening] : opening
  return await withRefusals(path, async () => {
    const { file, stats } = await tree.open(path, bitsOf(flags))
    try {
      if (mayCreate(flags) && stats.size === 0n) await tree.chown(file.fd, stats)
      // Not by opening it: only now it is known to be a file of the server.
      if (flags.truncate && !isFresh(stats)) await file.truncate(0)
      return { file, stats }
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
