import { createHash } from 'node:crypto'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const mebibyte = 1024 * 1024

/** A file of bytes that do not compress, the same ones each time. */
export async function makeNoise(path: string, mebibytes: number): Promise<void> {
  await using file = await open(path, 'w')
  for (let at = 0; at < mebibytes; at++) await file.write(noise(mebibyte, `${path.length} ${at}`))
}

/** A file of lines as logs and worlds have them: it compresses to about a third. */
export async function makeProse(path: string, mebibytes: number): Promise<void> {
  await using file = await open(path, 'w')
  for (let at = 0; at < mebibytes; at++) {
    const words = noise(mebibyte / 2, `prose ${at}`).toString('hex')
    await file.write(words.replace(/(.{16})(.{16})/g, '$1 said something \n').slice(0, mebibyte))
  }
}

/** So many small files in a folder. */
export async function makeFiles(folder: string, count: number, bytes: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let at = 0; at < count; at++) {
    const half = noise(Math.ceil(bytes / 3), `file ${at}`).toString('base64')
    await writeFile(join(folder, `file-${String(at).padStart(5, '0')}.dat`), half.repeat(2).slice(0, bytes))
  }
}

/** Bytes that follow from a seed and look like chance. */
function noise(bytes: number, seed: string): Buffer {
  return createHash('shake256', { outputLength: bytes }).update(seed).digest()
}
