import { Refusal } from '@innkeeper/contract/errors/refusals'
import { z } from 'zod/mini'

/**
 * The format in which nodes exchange the files of a server: records, each the length of its JSON in four bytes and the
 * JSON. The content of a file follows its record in chunks, each with its length in four bytes, and ends with the length 0
 * and the SHA-256 of the content.
 */
export const PackRecord = z.discriminatedUnion('type', [
  z.object({ type: z.literal('remove'), path: z.string() }),
  z.object({ type: z.literal('folder'), path: z.string(), mode: z.int() }),
  z.object({ type: z.literal('link'), path: z.string(), target: z.string() }),
  z.object({ type: z.literal('file'), path: z.string(), mode: z.int(), modifiedMs: z.int() }),
  /** The last record, with the digest of all entries that the sender has. */
  z.object({ type: z.literal('end'), digest: z.string() }),
])
export type PackRecord = z.infer<typeof PackRecord>

export const chunkBytes = 512 * 1024
const gatheredBytes = 64 * 1024
const lengthBytes = 4
const maxRecordBytes = 64 * 1024
export const hashBytes = 32

export function formatRecord(record: PackRecord): Buffer {
  const json = Buffer.from(JSON.stringify(record))
  return Buffer.concat([formatLength(json.length), json])
}

export function formatLength(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(lengthBytes)
  bytes.writeUInt32BE(length)
  return bytes
}

/** Allocates a chunk of a file behind its length, see `setLength`. */
export function allocateChunk(length: number): { readonly chunk: Buffer; readonly content: Buffer } {
  const chunk = Buffer.allocUnsafeSlow(lengthBytes + length)
  return { chunk, content: chunk.subarray(lengthBytes) }
}

/** Returns an allocated chunk with this many bytes of content. */
export function finishChunk(chunk: Buffer, length: number): Buffer {
  chunk.writeUInt32BE(length)
  return chunk.subarray(0, lengthBytes + length)
}

/** Gathers small pieces, so that there is not a packet for each. Large ones are not copied. */
export async function* gather(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let small: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    const isLarge = piece.length >= gatheredBytes
    if (!isLarge) {
      small.push(piece)
      bytes += piece.length
    }
    if (bytes > 0 && (isLarge || bytes >= gatheredBytes)) {
      yield Buffer.concat(small)
      small = []
      bytes = 0
    }
    if (isLarge) yield piece
  }
  if (bytes > 0) yield Buffer.concat(small)
}

/** Reads records and contents from the pieces of a stream. Throws ErrTaskInterrupted when it ends too early. */
export class PackReader {
  readonly #pieces: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  async record(): Promise<PackRecord> {
    const length = await this.#length(maxRecordBytes)
    return PackRecord.parse(JSON.parse((await this.take(length)).toString('utf8')))
  }

  /** The chunks of a file, each in the pieces in which it has arrived: copies would cost more than all else. `take(hashBytes)` follows. */
  async *content(): AsyncGenerator<readonly Buffer[]> {
    for (;;) {
      const length = await this.#length(chunkBytes)
      if (length === 0) return
      yield await this.#take(length)
    }
  }

  async take(length: number): Promise<Buffer> {
    return Buffer.concat(await this.#take(length))
  }

  async #take(length: number): Promise<readonly Buffer[]> {
    const pieces: Buffer[] = []
    for (let missing = length; missing > 0; ) {
      if (this.#rest.length === 0) this.#rest = await this.#next()
      const piece = this.#rest.subarray(0, missing)
      this.#rest = this.#rest.subarray(piece.length)
      missing -= piece.length
      pieces.push(piece)
    }
    return pieces
  }

  async #next(): Promise<Buffer> {
    const next = await this.#pieces.next()
    if (next.done) throw new Refusal('ErrTaskInterrupted')
    return Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
  }

  async #length(max: number): Promise<number> {
    const length = (await this.take(lengthBytes)).readUInt32BE()
    if (length > max) throw new Error('the files of a server have a record that is too long')
    return length
  }
}
