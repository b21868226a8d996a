import { type BigIntStats, closeSync, constants, ftruncateSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { codeOf } from '../error-code.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import type { SafePath } from '../path/safe-path.ts'
import type { OpenedHandle, TreeRoot } from '../path/tree-root.ts'
import { withRefusals } from '../path/with-refusals.ts'
import { OpenedFile } from './opened-file.ts'
import { type MaybePromise, type OpenedFd, openSyncIn } from './sync-fast-path.ts'

/** Open flags; default: read. */
export interface Flags {
  readonly read?: boolean
  readonly write?: boolean
  /** All writes go to the end. */
  readonly append?: boolean
  /** Creates a missing file. */
  readonly create?: boolean
  /** Creates the file; fails if it exists. */
  readonly exclusive?: boolean
  /** Truncates the file. */
  readonly truncate?: boolean
}

const presets = {
  read: { read: true },
  append: { append: true, create: true },
  update: { read: true, write: true, create: true },
} as const satisfies Record<string, Flags>

/** `append` and `update` create a missing file; `update` reads and writes anywhere. Neither truncates. */
export type Opening = keyof typeof presets | Flags

/** Opens a regular file. The caller must close it. */
export async function openFile(tree: TreeRoot, path: SafePath, opening: Opening): Promise<FileHandle> {
  return (await opened(tree, path, opening)).file
}

/**
 * Opens a regular file for small pieces. The caller must close it. Files that may have to be created are opened
 * asynchronously: creating takes long on some disks.
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

/** Opens a file in a directory, whose handle may be closed as soon as this returns; synchronous on fast disks. */
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
    // The asynchronous version reports the error.
  }
  return openAsyncIn(folder.dup())

  function fileOf({ fd, stats }: OpenedFd): OpenedFile {
    return new OpenedFile(fd, stats, syncIo)
  }

  async function openAsyncIn(handle: DirHandle): Promise<OpenedFile> {
    await using parent = handle
    const { file, stats } = await withRefusals(path, () => tree.openIn(parent, name, flags, path))
    return new OpenedFile(file.fd, stats, syncIo, file)
  }
}

async function openAsync(tree: TreeRoot, path: SafePath, opening: Flags): Promise<OpenedFile> {
  const { file, stats } = await opened(tree, path, opening)
  return new OpenedFile(file.fd, opening.truncate ? empty : stats, tree.syncIo, file)
}

/** Truncating more than this takes long. */
const maxSyncTruncateBytes = 1024n * 1024n
const empty = { size: 0n }

/** undefined when it must be asynchronous. */
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
      // Not by O_TRUNC: only now it is known to be a file of the server.
      if (flags.truncate && !isFresh(stats)) await file.truncate(0)
      return { file, stats }
    } catch (error) {
      await file.close()
      throw error
    }
  })
}

const mayCreate = ({ create, exclusive }: Flags): boolean => create === true || exclusive === true

/** Whether there is nothing to truncate and its time is current. */
function isFresh({ size, mtimeNs }: BigIntStats): boolean {
  return size === 0n && Math.abs(Date.now() - Number(mtimeNs) / 1e6) < 1000
}

function bitsOf({ read, write, append, create, exclusive, truncate }: Flags): number {
  const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants
  const writes = write || append || truncate
  const access = writes ? (read ? O_RDWR : O_WRONLY) : O_RDONLY
  return access | (append ? O_APPEND : 0) | (create ? O_CREAT : 0) | (exclusive ? O_CREAT | O_EXCL : 0)
}
