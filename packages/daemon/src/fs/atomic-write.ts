import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

interface Options {
  /** Whether the file survives a power loss once this has returned: fsync of the file and its directory. Default: true. */
  readonly fsync?: boolean
}

/**
 * Writes a file atomically: to a temporary file beside it, which is renamed. Only the daemon's user may read it. Not for
 * paths inside server directories.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  { fsync = true }: Options = {},
): Promise<void> {
  const temporary = temporaryPath(path)
  try {
    {
      await using file = await open(temporary, 'wx', 0o600)
      await file.writeFile(data)
      if (fsync) await file.sync()
    }
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw cause
  }
  if (fsync) await syncDirectory(dirname(path))
}

/** The same, synchronously: for what must be on disk before the caller continues. */
export function writeFileAtomicSync(path: string, data: string | Uint8Array, { fsync = true }: Options = {}): void {
  const temporary = temporaryPath(path)
  try {
    writeFileSync(temporary, data, { flag: 'wx', mode: 0o600, flush: fsync })
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
  if (fsync) syncDirectorySync(dirname(path))
}

export async function syncDirectory(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}

function syncDirectorySync(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const temporaryPath = (path: string): string => `${path}.${randomBytes(4).toString('hex')}.tmp`
