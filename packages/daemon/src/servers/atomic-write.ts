import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file atomically and durably: temporary file, fsync, rename, fsync of the directory. Not for paths inside
 * server directories.
 */
export async function writeFileAtomic(path: string, data: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`
  try {
    {
      await using file = await open(temporary, 'wx', 0o600)
      await file.writeFile(data)
      await file.sync()
    }
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw cause
  }
  await syncDirectory(dirname(path))
}

export async function syncDirectory(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}
