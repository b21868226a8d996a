import { isUtf8 } from 'node:buffer'

const empty = Buffer.alloc(0)

/** Makes whole UTF-8 of a stream that is cut anywhere; what is no UTF-8 becomes U+FFFD. */
export class Utf8StreamDecoder {
  #rest: Buffer = empty

  /** Bytes of a character that is not complete yet. */
  get pending(): number {
    return this.#rest.length
  }

  /** The complete characters up to here. The answer may share memory with `data`. */
  push(data: Uint8Array): Buffer {
    const given = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, given]) : given
    const end = completeEnd(bytes)
    this.#rest = end < bytes.length ? Buffer.from(bytes.subarray(end)) : empty
    return valid(bytes.subarray(0, end))
  }

  /** What was left of an incomplete character when the stream broke off. */
  end(): Buffer {
    const rest = this.#rest
    this.#rest = empty
    return valid(rest)
  }
}

/** Where the last complete character ends: at most three bytes from the end. */
function completeEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return back < wanted ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function valid(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'))
}

/** The largest cut at or below `at`, by three bytes at most, that splits no character. */
export function charBoundary(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length
  let cut = at
  while (cut > Math.max(0, at - 3) && ((bytes[cut] as number) & 0xc0) === 0x80) cut--
  return cut
}
