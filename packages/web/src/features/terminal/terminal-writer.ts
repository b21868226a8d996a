import type { Terminal } from '@xterm/xterm'
import type { RawOutput } from '../../realtime/raw-output.ts'

/** The most that the terminal still has to parse, in characters. */
const maxPending = 512 * 1024
/** The terminal parses at least one piece before the page can do something else. */
const pieceLength = 4_096

/**
 * Writes the output of a server into a terminal: first what is kept, then what comes. When output comes faster than the
 * terminal parses it, the terminal skips to the newest.
 */
export class TerminalWriter {
  readonly #terminal: Pick<Terminal, 'write' | 'reset'>
  readonly #output: RawOutput
  #unsubscribe: (() => void) | undefined
  #pending = 0
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

  #write(text: string): void {
    if (this.#isBehind) return
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

  #parsed(length: number): void {
    this.#pending -= length
    if (this.#pending === 0 && this.#isBehind) this.#restart()
  }
}
