import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../files/error-code.ts'

/**
 * Reads a secret from a file that only its user can read; creates it on first use. The file is written atomically. The
 * path must not be inside a server directory.
 */
export async function loadOrCreateSecret(path: string, make: () => string | Promise<string>): Promise<string> {
  const held = await contentOf(path)
  if (held !== undefined) return held
  const secret = await make()
  await writeSecretAtomic(path, secret)
  return secret
}

/** Writes such a file atomically. */
export async function writeSecretAtomic(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`
  await rm(temporary, { force: true })
  {
    await using file = await open(temporary, 'wx', 0o600)
    await file.writeFile(text)
    await file.sync()
  }
  await rename(temporary, path)
  await using folder = await open(dirname(path), 'r')
  await folder.sync()
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
