import { parseCommandRecord } from '@innkeeper/contract/definitions/console-commands'
import { daemonPrefix } from '@innkeeper/contract/servers/live'
import type { ConsoleSink } from '../../realtime/server-connection.ts'
import { defaultStyle, getStyleAfter, type Style } from './ansi.ts'

export const maxConsoleBytes = 2_097_152

/** One line of a console. A line keeps its object identity until its text changes. */
export type Line = {
  /** Raw text including escape sequences, without the prefix of the daemon. */
  readonly text: string
  /** The style that the line starts with: it continues that of the line before. */
  readonly style: Style
  /** When it was printed, in epoch seconds; `undefined` for polled lines, of which only the fetch time is known. */
  readonly time: number | undefined
} & (
  | { readonly type: 'output' | 'daemon' }
  /** A command and the username of its sender. */
  | { readonly type: 'command'; readonly author: string }
  /** A placeholder for missing output. */
  | { readonly type: 'gap'; readonly bytes: number }
)

/** Lines by number, from `first` to `end` (exclusive). A line keeps its number when older lines are dropped. */
export interface Lines {
  readonly first: number
  readonly end: number
  at(number: number): Line | undefined
  /** Incremented when existing lines are replaced: values derived from them must be recomputed. */
  readonly rewrites: number
}

/** Estimated bytes of a line without its text. */
const lineOverhead = 24
/** Longer lines are split, in characters. */
const maxLineLength = 8_192
/** Dropped lines stay in the array until there are this many: removing each one would copy the array. */
const compactThreshold = 8_192

/**
 * The output of a console as lines, up to {@link maxConsoleBytes} bytes: the oldest are dropped. The cost of `write` depends
 * only on the new text; escape sequences are parsed when a line is rendered.
 */
export class ConsoleBuffer implements ConsoleSink, Lines {
  #lines: Line[] = []
  /** How many entries at the start of `#lines` are dropped. */
  #dropped = 0
  #first = 0
  #partial = ''
  #partialLine: Line | undefined
  #style: Style = defaultStyle
  #time: number | undefined = undefined
  #size = 0
  #rewrites = 0
  readonly #listeners = new Set<() => void>()

  get first(): number {
    return this.#first
  }

  get end(): number {
    return this.#completeEnd + (this.#partial === '' ? 0 : 1)
  }

  get rewrites(): number {
    return this.#rewrites
  }

  /** Estimated size in bytes. */
  get size(): number {
    return this.#size
  }

  /** Whether lines were dropped to stay within the budget. */
  get hasDropped(): boolean {
    return this.#first > 0
  }

  at(number: number): Line | undefined {
    if (number < this.#first) return undefined
    if (number < this.#completeEnd) return this.#lines[number - this.#first + this.#dropped]
    return number === this.#completeEnd && this.#partial !== '' ? this.#getPartialLine() : undefined
  }

  /** Calls the listener after every change. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  write(text: string, epoch: number | undefined): void {
    if (this.#partial === '') this.#time = epoch
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = start === 0 ? this.#partial + text.slice(0, end) : text.slice(start, end)
      this.#partial = ''
      this.#addLine(line)
      this.#time = epoch
      start = end + 1
    }
    this.#setPartial(this.#partial + text.slice(start))
    this.#dropOldest()
    this.#notify()
  }

  gap(bytes: number): void {
    this.#endPartial()
    this.#style = defaultStyle
    this.#push({ type: 'gap', text: '', bytes, style: defaultStyle, time: this.#time })
    this.#notify()
  }

  reset(): void {
    this.#clear()
    this.#partial = ''
    this.#style = defaultStyle
    this.#notify()
  }

  get #completeEnd(): number {
    return this.#first + this.#lines.length - this.#dropped
  }

  #addLine(raw: string): void {
    const text = trimReturns(raw)
    const type = text.startsWith(daemonPrefix) ? 'daemon' : 'output'
    const record = type === 'daemon' ? parseCommandRecord(text.slice(daemonPrefix.length)) : undefined
    if (record) {
      const { author, command } = record
      this.#push({ type: 'command', author, text: command, style: defaultStyle, time: this.#time })
      return
    }
    for (let start = 0; start === 0 || start < text.length; start += maxLineLength) {
      const piece = text.slice(start === 0 && type === 'daemon' ? daemonPrefix.length : start, start + maxLineLength)
      this.#push({ type, text: piece, style: this.#style, time: this.#time })
      this.#style = getStyleAfter(piece, this.#style)
    }
  }

  #push(line: Line): void {
    this.#lines.push(line)
    this.#size += line.text.length + lineOverhead
  }

  #setPartial(text: string): void {
    // A progress bar overwrites its line again and again: only the last state is kept.
    const lastReturn = text.lastIndexOf('\r', text.length - 2)
    if (lastReturn > 0) {
      this.#style = getStyleAfter(text.slice(0, lastReturn), this.#style)
      this.#partial = text.slice(lastReturn)
    } else this.#partial = text
    this.#partialLine = undefined
    if (this.#partial.length > maxLineLength) this.#endPartial()
  }

  #endPartial(): void {
    if (this.#partial === '') return
    const text = this.#partial
    this.#partial = ''
    this.#addLine(text)
  }

  #getPartialLine(): Line {
    this.#partialLine ??= { type: 'output', text: this.#partial, style: this.#style, time: this.#time }
    return this.#partialLine
  }

  #clear(): void {
    for (const line of this.#lines.splice(this.#dropped)) this.#size -= line.text.length + lineOverhead
    this.#rewrites++
  }

  #dropOldest(): void {
    while (this.#size > maxConsoleBytes && this.#first < this.#completeEnd) {
      this.#size -= (this.#lines[this.#dropped]?.text.length ?? 0) + lineOverhead
      this.#dropped++
      this.#first++
    }
    if (this.#dropped > compactThreshold) {
      this.#lines = this.#lines.slice(this.#dropped)
      this.#dropped = 0
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Copies the current lines, so that they stay the same while the buffer receives more. */
export function takeSnapshot(lines: Lines): Lines {
  const { first, end, rewrites } = lines
  const copy = Array.from({ length: end - first }, (_, index) => lines.at(first + index))
  return { first, end, rewrites, at: (number) => copy[number - first] }
}

/** Removes carriage returns at the end of a line (CRLF). Those inside a line stay: they overwrite it. */
function trimReturns(raw: string): string {
  let end = raw.length
  while (end > 0 && raw[end - 1] === '\r') end--
  return end === raw.length ? raw : raw.slice(0, end)
}
