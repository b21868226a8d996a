import { daemonPrefix } from '@innkeeper/contract/servers/live'
import type { ConsoleSink } from './server-connection.ts'

/** How much output is kept, in characters. */
const keptLength = 256 * 1024
/** The longest line of the daemon that is left out, in characters. */
const maxDaemonLineLength = 4_096
/** Ends an escape sequence that lost its end. */
const cancelSequence = '\x18'
/** Leaves what a program can set: its own screen, modes, mouse reports. The next program begins on an empty line. */
const endOfProgram = `${cancelSequence}\x1b[?1049l\x1b[!p\x1b[?9;1000;1002;1003;1005;1006;1015;2004l\x1b[999H\r\n`

export interface RawOutputListener {
  write(text: string): void
  reset(): void
}

/**
 * The newest output of a server with its escape sequences, for terminals. Lines of the daemon are left out: a program that
 * draws whole screens does not know of them.
 */
export class RawOutput implements ConsoleSink {
  #chunks: string[] = []
  #length = 0
  #hasDropped = false
  readonly #daemonLines = new DaemonLineFilter()
  readonly #listeners = new Set<RawOutputListener>()

  /** What is kept. It never begins inside of an escape sequence. */
  get text(): string {
    const text = this.#chunks.join('')
    if (!this.#hasDropped) return text
    const start = text.search(/[\n\x1b]/)
    return start === -1 ? '' : text.slice(start)
  }

  subscribe(listener: RawOutputListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  write(text: string): void {
    const output = this.#daemonLines.remove(text)
    if (output === '') return
    this.#keep(output)
    for (const listener of this.#listeners) listener.write(output)
  }

  gap(): void {
    this.write(cancelSequence)
  }

  /** The program has ended, and may not have cleaned up. */
  end(): void {
    this.write(endOfProgram)
  }

  reset(): void {
    this.#chunks = []
    this.#length = 0
    this.#hasDropped = false
    for (const listener of this.#listeners) listener.reset()
  }

  #keep(output: string): void {
    this.#chunks.push(output)
    this.#length += output.length
    if (this.#length <= keptLength) return
    // Half at a time: cutting the text with each write would copy all of it each time.
    const newest = this.#chunks.join('').slice(-keptLength / 2)
    this.#chunks = [newest]
    this.#length = newest.length
    this.#hasDropped = true
  }
}

/** Removes lines of the daemon from output that is split anywhere. */
class DaemonLineFilter {
  /** How much of a line without its end may still be removed. */
  #remaining = 0

  remove(text: string): string {
    let rest = this.#removeEnd(text)
    let output = ''
    for (let start = rest.indexOf(daemonPrefix); start !== -1; start = rest.indexOf(daemonPrefix)) {
      output += rest.slice(0, start)
      this.#remaining = maxDaemonLineLength
      rest = this.#removeEnd(rest.slice(start))
    }
    return output + rest
  }

  #removeEnd(text: string): string {
    if (this.#remaining === 0) return text
    const end = text.indexOf('\n')
    const length = Math.min(end === -1 ? text.length : end + 1, this.#remaining)
    this.#remaining = end === -1 ? this.#remaining - length : 0
    return text.slice(length)
  }
}

/** Writes the same output to several places. */
export function combineSinks(sinks: readonly ConsoleSink[]): ConsoleSink {
  return {
    write(text, epoch) {
      for (const sink of sinks) sink.write(text, epoch)
    },
    gap(bytes) {
      for (const sink of sinks) sink.gap(bytes)
    },
    reset() {
      for (const sink of sinks) sink.reset()
    },
  }
}
