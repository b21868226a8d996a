import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { limits } from '@innkeeper/contract/limits'
import { codeOf } from '../files/error-code.ts'
import { type Kept, logFilesIn, readEntries } from './log.ts'

/** A line that was printed, as plain text. */
export interface Line {
  readonly position: number
  /** Epoch seconds. */
  readonly epoch: number
  readonly line: string
}

/** The output before a position. */
export interface Page {
  readonly from: number
  readonly to: number
  readonly isOldest: boolean
  readonly pieces: readonly Kept[]
}

/** Looks back in the log of a console, beside whoever writes it: files are only added to, and removed as a whole. */
export class ConsoleHistory {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  /** The last `bytes` or somewhat more before a position. */
  async page(before: number, bytes: number): Promise<Page> {
    const pieces: Kept[] = []
    let held = 0
    let isOldest = true
    for await (const entries of this.#files(before)) {
      for (const entry of entries.toReversed()) {
        if (held >= bytes) {
          isOldest = false
          break
        }
        pieces.unshift(entry)
        held += entry.bytes
      }
      if (!isOldest) break
    }
    const [first, last] = [pieces[0], pieces.at(-1)]
    return { from: first?.from ?? before, to: last ? last.from + last.bytes : before, isOldest, pieces }
  }

  /**
   * Lines before a position that hold the text, whatever the case, the newest first. It ends with enough of them or when
   * the time is over; `next` is where another search goes on.
   */
  async search(text: string, before: number): Promise<{ found: Line[]; next?: number }> {
    const wanted = text.toLowerCase()
    const until = performance.now() + limits.consoleSearchMs
    const found: Line[] = []
    for await (const lines of this.#lines(before)) {
      for (const line of lines.toReversed()) {
        if (!line.line.toLowerCase().includes(wanted)) continue
        found.push(line)
        if (found.length >= limits.consoleFound) return { found, next: line.position }
      }
      const next = lines[0]?.position
      if (next !== undefined && performance.now() > until) return { found, next }
    }
    return { found }
  }

  /** All that is kept as plain text, the oldest first, file by file. */
  async *text(): AsyncGenerator<string> {
    for (const name of await logFilesIn(this.#dir)) {
      const data = await this.#read(name)
      if (data)
        yield stripVTControlCharacters(Buffer.concat(readEntries(data).entries.map((kept) => kept.text)).toString())
    }
  }

  /** The lines of each file, the newest file first; one that goes on in the next file is whole. */
  async *#lines(before: number): AsyncGenerator<Line[]> {
    // The first line of a file may be the rest of one that began in the file before it.
    let rest: Line | undefined
    for await (const entries of this.#files(before)) {
      const { lines, isOpen } = linesOf(entries)
      const last = lines.at(-1)
      if (rest && last && isOpen) lines.splice(-1, 1, { ...last, line: last.line + rest.line })
      else if (rest) lines.push(rest)
      rest = lines.shift()
      yield lines
    }
    if (rest) yield [rest]
  }

  /** The entries before a position, file by file, the newest file first. */
  async *#files(before: number): AsyncGenerator<Kept[]> {
    for (const name of (await logFilesIn(this.#dir)).toReversed()) {
      if (Number.parseInt(name, 10) >= before) continue
      const data = await this.#read(name)
      if (!data) continue
      yield readEntries(data)
        .entries.filter(({ from }) => from < before)
        .map((entry) => untilPosition(entry, before))
      // A long search lets others have a turn.
      await breathe()
    }
  }

  /** `undefined` for a file that was removed meanwhile, because newer output needed its room. */
  async #read(name: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.#dir, name))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }
}

function untilPosition(entry: Kept, before: number): Kept {
  const bytes = before - entry.from
  return bytes >= entry.bytes ? entry : { ...entry, bytes, text: entry.text.subarray(0, bytes) }
}

/** Neighbouring entries as lines; `isOpen` when the last one has no end yet. */
function linesOf(entries: readonly Kept[]): { lines: Line[]; isOpen: boolean } {
  const lines: Line[] = []
  let open: { position: number; epoch: number; parts: Buffer[] } | undefined
  const close = () => {
    if (!open) return
    const { position, epoch, parts } = open
    lines.push({ position, epoch, line: plain(Buffer.concat(parts).toString()) })
    open = undefined
  }
  for (const { from, epoch, text } of entries) {
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf(0x0a, at)
      open ??= { position: from + at, epoch, parts: [] }
      open.parts.push(text.subarray(at, end < 0 ? text.length : end))
      if (end >= 0) close()
      at = end < 0 ? text.length : end + 1
    }
  }
  const isOpen = open !== undefined
  close()
  return { lines, isOpen }
}

function plain(line: string): string {
  return stripVTControlCharacters(line).replace(/\r+$/, '')
}
