import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { IndexError } from './index-fetch.ts'

export const maxUnpackedIndexBytes = 128 * 1024 ** 2
const maxIndexFiles = 10_000

const unzip = promisify(gunzip)

/** Whether the bytes have the gzip signature. */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** Extracts the JSON and Markdown files of a `.tar.gz` in memory, by path. */
export async function textsOfArchive(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  const tar = await unzip(bytes, { maxOutputLength: maxUnpackedIndexBytes }).catch((error: unknown) => {
    throw new IndexError('the archive is damaged or too large', { cause: error })
  })
  const texts = new Map<string, string>()
  const entries = extract()
  // Errors are thrown while entries are read.
  entries.on('error', () => {})
  entries.end(tar)
  try {
    let count = 0
    for await (const entry of entries) {
      if (++count > maxIndexFiles) throw new IndexError('the archive has too many files')
      const { name, type = 'file' } = entry.header
      const path = name.replace(/^(?:\.?\/)+/, '')
      if (type === 'file' && /\.(?:json|md)$/.test(path)) texts.set(path, await readText(entry))
      else entry.resume()
    }
  } catch (error) {
    if (error instanceof IndexError) throw error
    throw new IndexError('the archive is damaged', { cause: error })
  } finally {
    entries.destroy()
  }
  return texts
}

async function readText(entry: AsyncIterable<unknown>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of entry) if (part instanceof Uint8Array) parts.push(part)
  return new TextDecoder().decode(Buffer.concat(parts))
}
