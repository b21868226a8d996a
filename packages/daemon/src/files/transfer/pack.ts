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
const maxRecordBytes = 64 * 1024
export const hashBytes = 32

export function formatRecord(record: PackRecord): Buffer {
  const json = Buffer.from(JSON.stringify(record))
  return Buffer.concat([formatLength(json.length), json])
}

export function formatLength(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(length)
  return bytes
}

/** Gathers small pieces, so that there is not a packet for each. */
export async function* gather(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    waiting.push(piece)
    bytes += piece.length
    if (bytes < chunkBytes) continue
    yield waiting.length === 1 ? piece : Buffer.concat(waiting)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting)
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

  /** The chunks of a file. `take(hashBytes)` follows. */
  async *content(): AsyncGenerator<Buffer> {
    for (;;) {
      const length = await this.#length(chunkBytes)
      if (length === 0) return
      yield await this.take(length)
    }
  }

  async take(length: number): Promise<Buffer> {
    const parts = [this.#rest]
    let bytes = this.#rest.length
    while (bytes < length) {
      const next = await this.#pieces.next()
      if (next.done) throw new Refusal('ErrTaskInterrupted')
      const piece = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
      parts.push(piece)
      bytes += piece.length
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts)
    this.#rest = all.subarray(length)
    return all.subarray(0, length)
  }

  async #length(max: number): Promise<number> {
    const length = (await this.take(4)).readUInt32BE()
    if (length > max) throw new Error('the files of a server have a record that is too long')
    return length
  }
}
