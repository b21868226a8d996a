import { pipeline } from 'node:stream'
import { extract, type Header } from 'tar-stream'
import { ConcurrencyLimiter } from '../../concurrency/concurrency-limiter.ts'
import { archiveDamaged, toArchiveError, withArchiveErrors } from '../formats/archive-errors.ts'
import type { Entry, Unpacking } from './unpacking.ts'

const smallBytes = 256 * 1024
const smallConcurrency = 8

/** Accepts tars from before the ustar signature; missing in the types. */
const tarOptions = { allowUnknownFormat: true }

/** Called for each symbolic link, with its name and its target as they are in the tar. */
type OnLink = (name: string, target: string) => void

/** Extracts a tar as a stream. With `onLink`, it receives the symbolic links. */
export async function unpackTar(
  bytes: AsyncIterable<Uint8Array>,
  unpacking: Unpacking,
  onLink?: OnLink,
): Promise<void> {
  const tar = extract({ ...tarOptions, highWaterMark: 512 * 1024 })
  let failure: unknown
  let isEmpty = true
  const fed = async function* () {
    for await (const chunk of bytes) {
      isEmpty &&= chunk.length === 0
      yield chunk
    }
  }
  // If the source has failed, its error is thrown instead of the parser's.
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
      const entry = getEntry(next.value.header)
      const content = withArchiveErrors(next.value as AsyncIterable<Buffer>)
      const { type, linkname } = next.value.header
      if (entry.kind === 'folder') await unpacking.folder(entry)
      else if (onLink && type === 'symlink' && linkname && entry.name !== undefined) onLink(entry.name, linkname)
      else if (type === 'symlink') await unpacking.link(entry, linkname ?? '')
      else if (type === 'link') await unpacking.hardLink(entry, linkname ?? '')
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

function getEntry(header: Header): Entry {
  // Invalid UTF-8 has become replacement characters.
  const name = header.name.includes('\ufffd') ? undefined : header.name
  return { name, shownName: header.name, kind: getKind(header), mode: header.mode, modified: getModified(header) }
}

/** A pax record has times that the header has no room for, and fractions of seconds. */
function getModified({ mtime, pax }: Header): Date {
  const exact = pax instanceof Object && 'mtime' in pax ? new Date(Number(pax.mtime) * 1000) : mtime
  return Number.isNaN(exact.getTime()) ? mtime : exact
}

function getKind({ type, pax }: Header): Entry['kind'] {
  // Sparse files: their content is a list of holes and data.
  if (pax instanceof Object && Object.keys(pax).some((key) => key.startsWith('GNU.sparse.'))) return 'other'
  if (type === 'directory') return 'folder'
  return type === 'file' || type === 'contiguous-file' ? 'file' : 'other'
}
