import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { Progress } from '../../files/tree/progress.ts'
import { archiveDamaged } from '../archive-errors.ts'
import type { Unpacking } from '../unpack/unpacking.ts'
import { contentBySevenZip, listBySevenZip, type SevenZipType } from './seven-zip.ts'
import { type ListedEntry, parseList } from './seven-zip-list.ts'

interface Opened {
  readonly file: FileHandle
  readonly size: number
  readonly unpacking: Unpacking
  readonly progress: Progress
  readonly signal: AbortSignal
}

/**
 * Unpacks what only 7-Zip can read. It gives the list of the files, and their content one behind the other: where one
 * ends the list says, and its checksum shows that this is so.
 */
export async function unpackBySevenZip({ file, size, unpacking, progress, signal }: Opened, type: SevenZipType) {
  const opening = { file, parts: [{ start: 0, end: size }], type, signal }
  await total(parseList(listBySevenZip(opening)), progress)

  await using content = new ContentStream(contentBySevenZip(opening))
  for await (const listed of parseList(listBySevenZip(opening))) {
    signal.throwIfAborted()
    if (listed.kind === 'folder') await unpacking.folder(listed)
    else if (listed.kind === 'file') await unpackFile(listed, content, unpacking)
    else {
      unpacking.skip(listed)
      // A link is stored as a file that holds where it leads.
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

/** A stream of bytes that is taken piece by piece. */
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
      // Nobody wants it.
    }
  }

  /** Makes sure that nothing is left, and that it came to a good end. */
  async end(): Promise<void> {
    const more = this.#rest.length > 0 || !(await this.#chunks.next()).done
    if (more) throw archiveDamaged('there is more in it than it says')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return(undefined)
  }
}
