import { createHash } from 'node:crypto'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const mebibyte = 1024 * 1024

/** Writes deterministic data that does not compress. */
export async function writeIncompressibleFile(path: string, mebibytes: number): Promise<void> {
  await using file = await open(path, 'w')
  for (let index = 0; index < mebibytes; index++)
    await file.write(pseudoRandomBytes(mebibyte, `${path.length} ${index}`))
}

/** Writes lines that compress to about a third, similar to logs and game worlds. */
export async function writeCompressibleFile(path: string, mebibytes: number): Promise<void> {
  await using file = await open(path, 'w')
  for (let index = 0; index < mebibytes; index++) {
    const words = pseudoRandomBytes(mebibyte / 2, `prose ${index}`).toString('hex')
    await file.write(words.replace(/(.{16})(.{16})/g, '$1 said something \n').slice(0, mebibyte))
  }
}

/** Writes small files into a folder. */
export async function writeSmallFiles(folder: string, count: number, bytes: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let index = 0; index < count; index++) {
    const half = pseudoRandomBytes(Math.ceil(bytes / 3), `file ${index}`).toString('base64')
    await writeFile(join(folder, `file-${String(index).padStart(5, '0')}.dat`), half.repeat(2).slice(0, bytes))
  }
}

/** Writes files that compress to about a half and share no content. */
export async function writeHalfCompressibleFiles(folder: string, count: number, bytes: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let index = 0; index < count; index++) {
    const text = pseudoRandomBytes(Math.ceil(bytes / 2), `world ${index}`).toString('hex')
    await writeFile(join(folder, `region-${index}.dat`), text.slice(0, bytes))
  }
}

/** Pseudo-random bytes derived from a seed. */
function pseudoRandomBytes(bytes: number, seed: string): Buffer {
  return createHash('shake256', { outputLength: bytes }).update(seed).digest()
}
