import { StringDecoder } from 'node:string_decoder'
import { stripControlSequences } from '@innkeeper/contract/control-sequences'
import { trimEnd } from '@innkeeper/contract/trim-end'

/** Makes lines of output as it comes: whole ones, without colours, each cut to a length. */
export class LineSplitter {
  readonly #most: number
  #decoder = new StringDecoder('utf8')
  #begun = ''
  /** Whether the beginning of the present line is missing. */
  #isBroken = false

  constructor(most: number) {
    this.#most = most
  }

  /** The lines that these bytes bring to an end. */
  push(data: Uint8Array): string[] {
    const parts = (this.#begun + this.#decoder.write(data)).split('\n')
    // Colours may take more room than what is seen of a line.
    this.#begun = (parts.pop() ?? '').slice(0, this.#most * 4)
    if (this.#isBroken && parts.length > 0) {
      parts.shift()
      this.#isBroken = false
    }
    return parts.map((line) => this.#whole(line))
  }

  /** What has begun and never came to an end; nothing when there is none. */
  flush(): string[] {
    const flush = this.#begun + this.#decoder.end()
    this.#begun = ''
    return flush === '' || this.#isBroken ? [] : [this.#whole(flush)]
  }

  /** Says that something is left out here. */
  skip(): void {
    this.#begun = ''
    this.#decoder = new StringDecoder('utf8')
    this.#isBroken = true
  }

  #whole(line: string): string {
    return trimEnd(stripControlSequences(line.slice(0, this.#most * 4)), '\r').slice(0, this.#most)
  }
}
