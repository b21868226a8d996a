import { StringDecoder } from 'node:string_decoder'
import { stripControlSequences } from '@innkeeper/contract/text/control-sequences'
import { trimEnd } from '@innkeeper/contract/text/trim-end'

/** Splits output into complete lines, without colors, truncated to a length. */
export class LineSplitter {
  readonly #maxBytes: number
  #decoder = new StringDecoder('utf8')
  #partialLine = ''
  /** Whether the start of the current line is missing. */
  #isBroken = false

  constructor(max: number) {
    this.#maxBytes = max
  }

  /** Returns the lines completed by these bytes. */
  push(data: Uint8Array): string[] {
    const parts = (this.#partialLine + this.#decoder.write(data)).split('\n')
    // Colors may need more bytes than the visible text.
    this.#partialLine = (parts.pop() ?? '').slice(0, this.#maxBytes * 4)
    if (this.#isBroken && parts.length > 0) {
      parts.shift()
      this.#isBroken = false
    }
    return parts.map((line) => this.#completeLine(line))
  }

  /** Returns the incomplete last line, if any. */
  flush(): string[] {
    const flush = this.#partialLine + this.#decoder.end()
    this.#partialLine = ''
    return flush === '' || this.#isBroken ? [] : [this.#completeLine(flush)]
  }

  /** Marks a gap in the output. */
  skip(): void {
    this.#partialLine = ''
    this.#decoder = new StringDecoder('utf8')
    this.#isBroken = true
  }

  #completeLine(line: string): string {
    return trimEnd(stripControlSequences(line.slice(0, this.#maxBytes * 4)), '\r').slice(0, this.#maxBytes)
  }
}
