import { pipeline } from 'node:stream'
import { extract, type Header } from 'tar-stream'
import { ConcurrencyLimiter } from '../../files/concurrency-limiter.ts'
import { archiveDamaged, toArchiveError } from '../archive-errors.ts'
import type { Entry, Unpacking } from './unpacking.ts'

const smallBytes = 256 * 1024
const smallConcurrency = 8

/** Those from before the format had a mark; the types leave this out. */
const tarOptions = { allowUnknownFormat: true }

/** Unpacks a tar as it comes. */
export async function unpackTar(bytes: AsyncIterable<Uint8Array>, unpacking: Unpacking): Promise<void> {
  const tar = extract({ ...tarOptions, highWaterMark: 512 * 1024 })
  let failure: unknown
  let isEmpty = true
  const fed = async function* () {
    for await (const chunk of bytes) {
      isEmpty &&= chunk.length === 0
      yield chunk
    }
  }
  // The error that ends the tar is the one of its source, as far as that had one.
  pipeline(fed(), tar, (error) => {
    failure = error ?? undefined
  })

  await using small = new ConcurrencyLimiter(smallConcurrency)
  const entries = tar[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await entries.next().catch((error: unknown) => {
        throw toArchiveError(failure ?? error)
      })
      if (next.done) break
      const entry = entryOf(next.value.header)
      const content = asBuffers(next.value)
      if (entry.kind === 'folder') await unpacking.folder(entry)
      else if (entry.kind === 'other') unpacking.skip(entry)
      else if (next.value.header.size <= smallBytes) {
        const parts: Buffer[] = []
        for await (const part of content) parts.push(part)
        await small.add(unpackFile(parts, unpacking, entry))
        continue
      } else {
        await unpackFile(content, unpacking, entry)
      }
      next.value.resume()
    }
    if (isEmpty) throw archiveDamaged('it is empty')
    await small.end()
  } finally {
    await entries.return?.()
  }
}

async function* asBuffers(content: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  try {
    for await (const part of content) yield part as Buffer
  } catch (error) {
    throw toArchiveError(error)
  }
}

async function unpackFile(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  unpacking: Unpacking,
  entry: Entry,
): Promise<void> {
  await using unpacked = await unpacking.file(entry)
  if (!unpacked) return
  for await (const chunk of bytes) await unpacked.write(chunk)
  await unpacked.commit()
}

function entryOf(header: Header): Entry {
  // What is no text has become replacement characters.
  const name = header.name.includes('\ufffd') ? undefined : header.name
  return { name, kind: kindOf(header), mode: header.mode, modified: header.mtime }
}

function kindOf({ type, pax }: Header): Entry['kind'] {
  // Their content is a list of holes and what is between them.
  if (pax instanceof Object && Object.keys(pax).some((key) => key.startsWith('GNU.sparse.'))) return 'other'
  if (type === 'directory') return 'folder'
  return type === 'file' || type === 'contiguous-file' ? 'file' : 'other'
}
