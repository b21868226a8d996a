/** `2026-01-31T12:00:00.123456789Z `, as the engine puts it before each entry of a log. */
const stampBytes = 31
const stampShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z $/
/** The engine cuts longer lines into entries of this size. */
const entryBytes = 16_384
const newLine = 0x0a

export interface LogEntry {
  readonly time: string
  /** Where it begins: offset of its first byte. */
  readonly from: number
}

/**
 * Reads a container's log with times: takes the times out and says where each entry begins. What a terminal printed
 * comes as it was, so the bytes between the times are those of its output.
 */
export class LogReader {
  /** Offset behind what was read. */
  #at: number
  #stamp = Buffer.alloc(0)
  /** Bytes of the present entry; `undefined` when a new one begins. */
  #entryBytes: number | undefined
  readonly #onEntry: (entry: LogEntry) => void

  constructor(from: number, onEntry: (entry: LogEntry) => void) {
    this.#at = from
    this.#onEntry = onEntry
  }

  get at(): number {
    return this.#at
  }

  /** The output went on elsewhere. */
  jump(to: number): void {
    this.#at = to
  }

  /** The output in a part of the log. */
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
        // A log that cuts lines elsewhere: then these bytes are output.
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

/** A time as the engine takes it for `since`: seconds and nanoseconds. */
export function sinceOf(time: string): string {
  const [seconds = '', nanoseconds = '0Z'] = time.split('.')
  return `${Date.parse(`${seconds}Z`) / 1000}.${nanoseconds.replace('Z', '')}`
}
