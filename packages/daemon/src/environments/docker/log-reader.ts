/** `2026-01-31T12:00:00.123456789Z `, the engine's prefix of each log entry. */
const stampBytes = 31
const stampShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z $/
/** The engine splits longer lines into entries of this size. */
const entryBytes = 16_384
const newLine = 0x0a

export interface LogEntry {
  readonly time: string
  /** Output offset of its first byte. */
  readonly from: number
}

/**
 * Parses a container's log with timestamps: removes them and reports where each entry begins. Terminal output is logged
 * unchanged, so the remaining bytes are exactly the output.
 */
export class LogReader {
  /** Output offset after the last byte read. */
  #at: number
  #stamp = Buffer.alloc(0)
  /** Bytes read of the current entry; undefined at the start of a new one. */
  #entryBytes: number | undefined
  readonly #onEntry: (entry: LogEntry) => void

  constructor(from: number, onEntry: (entry: LogEntry) => void) {
    this.#at = from
    this.#onEntry = onEntry
  }

  get at(): number {
    return this.#at
  }

  /** Continues at another output offset. */
  jump(to: number): void {
    this.#at = to
  }

  /** Returns the output in a chunk of the log. */
  read(chunk: Buffer): Buffer[] {
    const parts: Buffer[] = []
    let rest = chunk
    while (rest.length > 0) {
      if (this.#entryBytes === undefined) {
        const missing = stampBytes - this.#stamp.length
        this.#stamp = Buffer.concat([this.#stamp, rest.subarray(0, missing)])
        rest = rest.subarray(missing)
        if (this.#stamp.length < stampBytes) break
        const text = this.#stamp.toString('latin1')
        const isStamp = stampShape.test(text)
        if (isStamp) this.#onEntry({ time: text.trimEnd(), from: this.#at })
        // Not a timestamp, because the log splits lines elsewhere: the bytes are output.
        else parts.push(this.#readStamp(this.#stamp))
        this.#entryBytes = isStamp ? 0 : this.#stamp.length
        this.#stamp = Buffer.alloc(0)
        continue
      }
      const end = rest.indexOf(newLine)
      const left = entryBytes - this.#entryBytes
      const isLine = end >= 0 && end < left
      const length = isLine ? end + 1 : Math.min(left, rest.length)
      parts.push(this.#readStamp(rest.subarray(0, length)))
      this.#entryBytes = isLine || this.#entryBytes + length >= entryBytes ? undefined : this.#entryBytes + length
      rest = rest.subarray(length)
    }
    return parts
  }

  #readStamp(bytes: Buffer): Buffer {
    this.#at += bytes.length
    return bytes
  }
}

/** Converts a timestamp for the engine's `since`: seconds and nanoseconds. */
export function getSince(time: string): string {
  const [seconds = '', nanoseconds = '0Z'] = time.split('.')
  return `${Date.parse(`${seconds}Z`) / 1000}.${nanoseconds.replace('Z', '')}`
}
