import { writeFileAtomic } from '../fs/atomic-write.ts'
import { readTextIfExists } from '../fs/if-exists.ts'

/** Reads a secret from a file that only its user can read; creates it on first use. */
export async function loadOrCreateSecret(path: string, create: () => string | Promise<string>): Promise<string> {
  const existing = await readTextIfExists(path)
  if (existing !== undefined) return existing
  const secret = await create()
  await writeFileAtomic(path, secret)
  return secret
}
