import type { ConsoleEncoding } from '@innkeeper/contract/definitions/console-encodings'
import iconv from 'iconv-lite'
import { Utf8StreamDecoder } from './utf8-stream-decoder.ts'

/** Decodes the output of a process, which is split anywhere. */
export interface OutputDecoder {
  /** Bytes of an incomplete character. */
  readonly pending: number
  /** Returns the complete characters so far, as UTF-8. The result may share memory with `data`. */
  push(data: Uint8Array): Buffer
  /** Returns the replacement of an incomplete character at the end. */
  end(): Buffer
}

export function outputDecoder(encoding: ConsoleEncoding | undefined): OutputDecoder {
  return encoding === undefined ? new Utf8StreamDecoder() : new LegacyStreamDecoder(encoding)
}

/** Encodes what is written to a process. Characters that the encoding lacks become question marks. */
export function encodeInput(text: string, encoding: ConsoleEncoding | undefined): string | Buffer {
  return encoding === undefined ? text : iconv.encode(text, encoding)
}

const empty: Buffer = Buffer.alloc(0)

/** In all of these encodings, a lower byte is a character of its own and no part of another. */
const lowestPartOfCharacter = 0x30
/** A character of GB18030 has up to four bytes. */
const maxPending = 3

class LegacyStreamDecoder implements OutputDecoder {
  readonly #encoding: ConsoleEncoding
  #rest = empty

  constructor(encoding: ConsoleEncoding) {
    this.#encoding = encoding
  }

  get pending(): number {
    return this.#rest.length
  }

  push(data: Uint8Array): Buffer {
    const bytes = Buffer.concat([this.#rest, data])
    const end = bytes.length - this.#incompleteAt(bytes)
    this.#rest = Buffer.from(bytes.subarray(end))
    return this.#decode(bytes.subarray(0, end))
  }

  end(): Buffer {
    const rest = this.#rest
    this.#rest = empty
    return this.#decode(rest)
  }

  #decode(bytes: Buffer): Buffer {
    return Buffer.from(iconv.decode(bytes, this.#encoding, { stripBOM: false }))
  }

  /** How many bytes at the end are the beginning of a character. */
  #incompleteAt(bytes: Buffer): number {
    const start = bytes.findLastIndex((byte) => byte < lowestPartOfCharacter) + 1
    for (let pending = 0; pending <= maxPending && start + pending <= bytes.length; pending++) {
      const decoder = iconv.getDecoder(this.#encoding, { stripBOM: false })
      decoder.write(bytes.subarray(start, bytes.length - pending))
      if (!decoder.end()) return pending
    }
    return 0
  }
}
