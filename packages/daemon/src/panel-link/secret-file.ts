import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../files/error-code.ts'

/**
 * A secret of the node in a file that only its user reads: what `make` answers the first time, and the same ever after.
 * The path is ours. It is there whole or not at all.
 */
export async function loadOrCreateSecret(path: string, make: () => string | Promise<string>): Promise<string> {
  const held = await contentOf(path)
  if (held !== undefined) return held
  const secret = await make()
  await writeSecretAtomic(path, secret)
  return secret
}

/** Writes such a file anew. It is there whole, as it was or as it is. */
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
