import { isUtf8 } from 'node:buffer'

const empty = Buffer.alloc(0)

/** Decodes a stream of bytes that is split anywhere into complete UTF-8 characters; invalid bytes become U+FFFD. */
export class Utf8StreamDecoder {
  #rest: Buffer = empty

  /** Bytes of an incomplete character. */
  get pending(): number {
    return this.#rest.length
  }

  /** Returns the complete characters so far. The result may share memory with `data`. */
  push(data: Uint8Array): Buffer {
    const input = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, input]) : input
    const end = completeEnd(bytes)
    this.#rest = end < bytes.length ? Buffer.from(bytes.subarray(end)) : empty
    return valid(bytes.subarray(0, end))
  }

  /** Returns the replacement of an incomplete character at the end of the stream. */
  end(): Buffer {
    const rest = this.#rest
    this.#rest = empty
    return valid(rest)
  }
}

/** Where the last complete character ends: at most three bytes before the end. */
function completeEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const sequenceLength = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return back < sequenceLength ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function valid(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'))
}

/** The largest boundary at or below `at` that splits no character; at most three bytes before it. */
export function charBoundary(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length
  let cut = at
  while (cut > Math.max(0, at - 3) && ((bytes[cut] as number) & 0xc0) === 0x80) cut--
  return cut
}
