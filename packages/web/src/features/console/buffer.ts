import { parseCommandRecord } from '@innkeeper/contract/console-commands'
import { limits } from '@innkeeper/contract/limits'
import { daemonPrefix } from '@innkeeper/contract/live'
import type { ConsoleSink } from '../../realtime/server-connection.ts'
import { plain, type Style, styleAfter } from './ansi.ts'

/** One line of a console. The same line is always the same object, until its text grows. */
export type Line = {
  /** Raw text, sequences included; without the daemon's prefix. */
  readonly text: string
  /** The style it begins with. */
  readonly style: Style
  /** When it was printed, epoch seconds; `undefined` when only the time is known at which it was fetched. */
  readonly time: number | undefined
} & (
  | { readonly kind: 'output' | 'daemon' }
  /** A command, and the username of who sent it. */
  | { readonly kind: 'command'; readonly author: string }
  /** Stands where output is missing. */
  | { readonly kind: 'gap'; readonly bytes: number }
)

/** Lines by number. Numbers grow for ever: the first held line is `first`, the one behind the last is `end`. */
export interface Lines {
  readonly first: number
  readonly end: number
  at(number: number): Line | undefined
  /** Changes when lines changed that were already there: whoever kept something of them looks again. */
  readonly rewrites: number
}

/** What a line costs beside its text. */
const lineOverhead = 24
/** A line without an end is cut here. */
const longestLine = 8_192
/** Dropped lines leave room in front of the array; so many are cleared at once. */
const clearAfter = 8_192

/**
 * What a console has printed, as lines within a budget: the oldest are dropped. Taking output in costs what arrived and
 * nothing more; colours are read when a line is shown.
 */
export class ConsoleBuffer implements ConsoleSink, Lines {
  #lines: Line[] = []
  /** How many places at the start of `#lines` are no longer in use. */
  #gone = 0
  #first = 0
  #partial = ''
  #partialLine: Line | undefined
  #style: Style = plain
  #time: number | undefined = undefined
  #size = 0
  #rewrites = 0
  readonly #listeners = new Set<() => void>()

  get first(): number {
    return this.#first
  }

  get end(): number {
    return this.#wholeEnd + (this.#partial === '' ? 0 : 1)
  }

  get rewrites(): number {
    return this.#rewrites
  }

  /** Estimated bytes held. */
  get size(): number {
    return this.#size
  }

  /** Whether lines were dropped to keep to the budget. */
  get hasDropped(): boolean {
    return this.#first > 0
  }

  at(number: number): Line | undefined {
    if (number < this.#first) return undefined
    if (number < this.#wholeEnd) return this.#lines[number - this.#first + this.#gone]
    return number === this.#wholeEnd && this.#partial !== '' ? this.#partialAsLine() : undefined
  }

  /** Calls back after every change. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  write(text: string, epoch: number | undefined): void {
    if (this.#partial === '') this.#time = epoch
    let from = 0
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      const end = from === 0 ? this.#partial + text.slice(0, to) : text.slice(from, to)
      this.#partial = ''
      this.#add(end)
      this.#time = epoch
      from = to + 1
    }
    this.#setPartial(this.#partial + text.slice(from))
    this.#dropOldest()
    this.#tell()
  }

  gap(bytes: number): void {
    this.#endPartial()
    this.#style = plain
    this.#push({ kind: 'gap', text: '', bytes, style: plain, time: this.#time })
    this.#tell()
  }

  reset(): void {
    this.#empty()
    this.#partial = ''
    this.#style = plain
    this.#tell()
  }

  get #wholeEnd(): number {
    return this.#first + this.#lines.length - this.#gone
  }

  #add(raw: string): void {
    const text = withoutReturns(raw)
    const kind = text.startsWith(daemonPrefix) ? 'daemon' : 'output'
    const record = kind === 'daemon' ? parseCommandRecord(text.slice(daemonPrefix.length)) : undefined
    if (record) {
      const { author, command } = record
      this.#push({ kind: 'command', author, text: command, style: plain, time: this.#time })
      return
    }
    for (let from = 0; from === 0 || from < text.length; from += longestLine) {
      const piece = text.slice(from === 0 && kind === 'daemon' ? daemonPrefix.length : from, from + longestLine)
      this.#push({ kind, text: piece, style: this.#style, time: this.#time })
      this.#style = styleAfter(piece, this.#style)
    }
  }

  #push(line: Line): void {
    this.#lines.push(line)
    this.#size += line.text.length + lineOverhead
  }

  #setPartial(text: string): void {
    // Of a line that is written over and over, a progress bar, only the last state is kept.
    const over = text.lastIndexOf('\r', text.length - 2)
    if (over > 0) {
      this.#style = styleAfter(text.slice(0, over), this.#style)
      this.#partial = text.slice(over)
    } else this.#partial = text
    this.#partialLine = undefined
    if (this.#partial.length > longestLine) this.#endPartial()
  }

  #endPartial(): void {
    if (this.#partial === '') return
    const text = this.#partial
    this.#partial = ''
    this.#add(text)
  }

  #partialAsLine(): Line {
    this.#partialLine ??= { kind: 'output', text: this.#partial, style: this.#style, time: this.#time }
    return this.#partialLine
  }

  #empty(): void {
    for (const line of this.#lines.splice(this.#gone)) this.#size -= line.text.length + lineOverhead
    this.#rewrites++
  }

  #dropOldest(): void {
    while (this.#size > limits.consoleKeptBytes && this.#first < this.#wholeEnd) {
      this.#size -= (this.#lines[this.#gone]?.text.length ?? 0) + lineOverhead
      this.#gone++
      this.#first++
    }
    if (this.#gone > clearAfter) {
      this.#lines = this.#lines.slice(this.#gone)
      this.#gone = 0
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** What a buffer held at one moment; it stays when the buffer goes on. */
export function snapshotOf(lines: Lines): Lines {
  const { first, end, rewrites } = lines
  const kept = Array.from({ length: end - first }, (_, index) => lines.at(first + index))
  return { first, end, rewrites, at: (number) => kept[number - first] }
}

/** A line that ends in carriage returns was only ended; one with a return inside keeps what was written last. */
function withoutReturns(raw: string): string {
  let end = raw.length
  while (end > 0 && raw[end - 1] === '\r') end--
  return end === raw.length ? raw : raw.slice(0, end)
}
