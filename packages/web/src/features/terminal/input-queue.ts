import { limits } from '@innkeeper/contract/text/limits'

/** How often input is sent: less often than the node accepts messages. */
const intervalMs = 40
/** The longest text that is waiting, in UTF-16 code units. A longer paste is refused. */
const maxLength = 256 * 1024

interface Options {
  readonly send: (data: string) => void
  /** Called instead of taking input that is too long. */
  readonly onOverflow: () => void
}

/** Sends keystrokes: the first one at once, those that follow together. A long paste goes in parts. */
export class InputQueue {
  readonly #options: Options
  #waiting = ''
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: Options) {
    this.#options = options
  }

  add(data: string): void {
    if (this.#waiting.length + data.length > maxLength) {
      this.#options.onOverflow()
      return
    }
    this.#waiting += data
    if (this.#timer === undefined) this.#sendNext()
  }

  /** Drops what was not sent. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting = ''
  }

  #sendNext(): void {
    this.#timer = undefined
    if (this.#waiting === '') return
    const part = this.#takePart()
    this.#timer = setTimeout(() => this.#sendNext(), intervalMs)
    this.#options.send(part)
  }

  /** The part never ends inside of a character. */
  #takePart(): string {
    let length = Math.min(this.#waiting.length, limits.terminalInputLength)
    if (length < this.#waiting.length && /[\uD800-\uDBFF]/.test(this.#waiting.charAt(length - 1))) length--
    const part = this.#waiting.slice(0, length)
    this.#waiting = this.#waiting.slice(length)
    return part
  }
}
