import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { closeOnError } from '../../errors/cleanup.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { type SafePath, withRefusals } from '../path/safe-path.ts'
import type { TreeRoot } from '../path/tree-root.ts'

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
  /** Permissions of a new file. Default: 0644. */
  readonly mode?: number
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
  const flags: Flags = typeof opening === 'string' ? presets[opening] : opening
  return await withRefusals(path, async () => {
    const { file, stats } = await tree.open(path, getBits(flags), flags.mode)
    return await closeOnError(file, async () => {
      if (mayCreate(flags) && stats.size === 0n) await tree.chown(file.fd, stats)
      // Not by O_TRUNC: only now it is known to be a file of the server.
      if (flags.truncate && !isFresh(stats)) await file.truncate(0)
      return file
    })
  })
}

/** Creates a file in a directory, with the owner of the server's directory. The caller must close it. */
export async function openNew(tree: TreeRoot, folder: DirHandle, name: string, flags: Flags): Promise<FileHandle> {
  const file = await open(folder.pathTo(name), getBits({ ...flags, exclusive: true }) | constants.O_NOFOLLOW, 0o600)
  return await closeOnError(file, async () => {
    await tree.chown(file.fd, await file.stat())
    return file
  })
}

/** Opens a file in a directory for reading. The directory's handle may be closed as soon as this returns. */
export function openToRead(
  tree: TreeRoot,
  { folder, name, path }: { readonly folder: DirHandle; readonly name: RawName; readonly path: SafePath },
): Promise<FileHandle> {
  const parent = folder.dup()
  return withRefusals(path, async () => {
    await using folder = parent
    return await tree.openFile(folder, name, constants.O_RDONLY, path)
  })
}

const mayCreate = ({ create, exclusive }: Flags): boolean => create === true || exclusive === true

/** Whether there is nothing to truncate and its time is current. */
function isFresh({ size, mtimeNs }: BigIntStats): boolean {
  return size === 0n && Math.abs(Date.now() - Number(mtimeNs) / 1e6) < 1000
}

function getBits({ read, write, append, create, exclusive, truncate }: Flags): number {
  const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants
  const writes = write || append || truncate
  const access = writes ? (read ? O_RDWR : O_WRONLY) : O_RDONLY
  return access | (append ? O_APPEND : 0) | (create ? O_CREAT : 0) | (exclusive ? O_CREAT | O_EXCL : 0)
}
