import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const inMemory = '/dev/shm'
/** Containers have a small one by default. */
const enoughBytes = 512 * 1024 * 1024

let parent: Promise<string> | undefined

/**
 * Creates a temporary folder, in memory where there is enough for that: SQLite waits for the disk after each transaction,
 * which takes more time than the rest of most tests of the panel.
 */
export async function memoryFolder(prefix: string): Promise<string> {
  parent ??= hasSpace().then((is) => (is ? inMemory : tmpdir()))
  return await mkdtemp(join(await parent, prefix))
}

async function hasSpace(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(inMemory)
    return bavail * bsize >= enoughBytes
  } catch {
    // Only Linux has it.
    return false
  }
}
