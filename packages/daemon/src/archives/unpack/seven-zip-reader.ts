import { crc32 } from 'node:zlib'
import type { Progress } from '../../files/tree/progress.ts'
import { archiveDamaged } from '../formats/archive-errors.ts'
import { contentBySevenZip, listBySevenZip, type SevenZipType } from '../seven-zip/seven-zip.ts'
import { type ListedEntry, parseList } from '../seven-zip/seven-zip-list.ts'
import type { OpenedArchive, Unpacking } from './unpacking.ts'

/**
 * Extracts what only 7-Zip can read. It outputs the list, and the contents concatenated: the list has their sizes, and
 * checksums verify the boundaries.
 */
export async function unpackBySevenZip({ file, size, unpacking, progress, signal }: OpenedArchive, type: SevenZipType) {
  const opening = { file, parts: [{ start: 0, end: size }], type, signal }
  await total(parseList(listBySevenZip(opening)), progress)

  await using content = new ContentStream(contentBySevenZip(opening))
  for await (const listed of parseList(listBySevenZip(opening))) {
    signal.throwIfAborted()
    if (listed.kind === 'folder') await unpacking.folder(listed)
    else if (listed.kind === 'file') await unpackFile(listed, content, unpacking)
    else {
      unpacking.skip(listed)
      // A link is stored as a file with its target.
      await content.skip(listed.size)
    }
  }
  await content.end()
}

async function total(list: AsyncIterable<ListedEntry>, progress: Progress): Promise<void> {
  let [entries, bytes] = [0, 0]
  for await (const { size, isEncrypted } of list) {
    if (isEncrypted) throw archiveDamaged('it is protected by a password')
    entries++
    bytes += size
  }
  progress.totalEntries = entries
  progress.totalBytes = bytes
}

async function unpackFile(listed: ListedEntry, content: ContentStream, unpacking: Unpacking): Promise<void> {
  await using unpacked = await unpacking.file(listed)
  if (!unpacked) return await content.skip(listed.size)
  let crc = 0
  for await (const chunk of content.read(listed.size)) {
    crc = crc32(chunk, crc)
    await unpacked.write(chunk)
  }
  if (listed.crc !== undefined && crc !== listed.crc) throw archiveDamaged('a checksum in it is wrong')
  await unpacked.commit()
}

/** A byte stream that is read in given sizes. */
class ContentStream implements AsyncDisposable {
  readonly #chunks: AsyncGenerator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(chunks: AsyncGenerator<Uint8Array>) {
    this.#chunks = chunks
  }

  async *read(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next()
        if (next.done) throw archiveDamaged('it ends too early')
        this.#rest = next.value
      }
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async skip(size: number): Promise<void> {
    for await (const _ of this.read(size)) {
      // Skipped content.
    }
  }

  /** Verifies that the stream has ended successfully. */
  async end(): Promise<void> {
    const more = this.#rest.length > 0 || !(await this.#chunks.next()).done
    if (more) throw archiveDamaged('it has more content than its list says')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return(undefined)
  }
}
