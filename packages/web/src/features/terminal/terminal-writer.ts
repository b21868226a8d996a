import type { Terminal } from '@xterm/xterm'
import type { RawOutput } from '../../realtime/raw-output.ts'

/** The most that the terminal still has to parse, in characters. */
const maxPending = 512 * 1024
/** The terminal parses at least one piece before the page can do something else. */
const pieceLength = 1_024
/** Marks on one character beyond this are left out: the terminal keeps all of them in one cell. */
const maxMarks = 16
/** What the terminal adds to the character before: accents, joiners, variations, Hangul vowels. */
const marks = /[\p{M}\p{Cf}\u1160-\u11ff]+/gu

/**
 * Writes the output of a server into a terminal: first the scrollback, then live output. When output arrives faster than
 * the terminal parses it, the terminal skips to the newest.
 */
export class TerminalWriter {
  readonly #terminal: Pick<Terminal, 'write' | 'reset'>
  readonly #output: RawOutput
  #unsubscribe: (() => void) | undefined
  #pending = 0
  /** At the end of what was written. */
  #markCount = 0
  #isBehind = false

  constructor(terminal: Pick<Terminal, 'write' | 'reset'>, output: RawOutput) {
    this.#terminal = terminal
    this.#output = output
  }

  start(): void {
    if (this.#unsubscribe) return
    this.#unsubscribe = this.#output.subscribe({
      write: (text) => this.#write(text),
      reset: () => this.#restart(),
    })
    this.#restart()
  }

  close(): void {
    this.#unsubscribe?.()
  }

  #restart(): void {
    this.#isBehind = false
    this.#terminal.reset()
    this.#write(this.#output.text)
  }

  #write(output: string): void {
    if (this.#isBehind) return
    const text = this.#limitMarks(output)
    if (this.#pending + text.length > maxPending) {
      this.#isBehind = true
      return
    }
    for (let start = 0; start < text.length; start += pieceLength) {
      const piece = text.slice(start, start + pieceLength)
      this.#pending += piece.length
      this.#terminal.write(piece, () => this.#parsed(piece.length))
    }
  }

  #limitMarks(text: string): string {
    const countBefore = this.#markCount
    this.#markCount = 0
    return text.replace(marks, (found, start: number) => {
      const characters = [...found]
      const count = start === 0 ? countBefore : 0
      if (start + found.length === text.length) this.#markCount = count + characters.length
      return characters.slice(0, Math.max(0, maxMarks - count)).join('')
    })
  }

  #parsed(length: number): void {
    this.#pending -= length
    if (this.#pending === 0 && this.#isBehind) this.#restart()
  }
}
