import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { stripControlSequences } from '@innkeeper/contract/text/control-sequences'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import { ifExists } from '../fs/if-exists.ts'
import { type LogRecord, logFilesIn, readEntries } from './log.ts'
import { charBoundary } from './utf8-stream-decoder.ts'

export const maxSearchResults = 200
const searchTimeoutMs = 2_000
/** Longer lines are searched and returned in parts of this size. */
export const maxLineBytes = 4_096

/** A printed line as plain text; only a part of a very long one. */
export interface Line {
  readonly position: number
  /** Epoch seconds. */
  readonly epoch: number
  readonly line: string
}

/** A line, or a part of one. With `isContinued`, the text of the next part belongs to the same line. */
interface LinePart extends Line {
  readonly isContinued: boolean
}

/** After this many lines a search yields to the event loop and checks its deadline. */
const linesPerYield = 1_000

/** The output before a position. */
export interface HistoryPage {
  readonly from: number
  readonly to: number
  readonly isOldest: boolean
  readonly records: readonly LogRecord[]
}

/** Reads back in the log of a console, concurrently with writes: files are only appended to, and deleted as a whole. */
export class ConsoleHistory {
  readonly #dir: string
  readonly #searchMs: number

  constructor(dir: string, { searchMs = searchTimeoutMs }: { readonly searchMs?: number } = {}) {
    this.#dir = dir
    this.#searchMs = searchMs
  }

  /** Returns the last `bytes` or slightly more before a position. */
  async page(before: number, bytes: number): Promise<HistoryPage> {
    const records: LogRecord[] = []
    let size = 0
    let isOldest = true
    for await (const entries of this.#files(before)) {
      for (const entry of entries.toReversed()) {
        if (size >= bytes) {
          isOldest = false
          break
        }
        records.unshift(entry)
        size += entry.bytes
      }
      if (!isOldest) break
    }
    const [first, last] = [records[0], records.at(-1)]
    return { from: first?.from ?? before, to: last ? last.from + last.bytes : before, isOldest, records }
  }

  /**
   * Returns lines before a position that contain the text, ignoring case, newest first. Stops after enough lines or at
   * the deadline; `next` is where to continue.
   */
  async search(text: string, before: number): Promise<{ found: Line[]; next?: number }> {
    const query = text.toLowerCase()
    const until = performance.now() + this.#searchMs
    const found: Line[] = []
    let behind: LinePart | undefined
    for await (const parts of this.#parts(before)) {
      for (const part of parts) {
        // The text may span the parts of a long line.
        const more = part.isContinued && behind ? behind.line.slice(0, text.length - 1) : ''
        behind = part
        if (!`${part.line}${more}`.toLowerCase().includes(query)) continue
        found.push({ position: part.position, epoch: part.epoch, line: trimEnd(part.line, '\r') })
        if (found.length >= maxSearchResults) return { found, next: part.position }
      }
      const next = parts.at(-1)?.position
      if (next !== undefined && performance.now() > until) return { found, next }
      await breathe()
    }
    return { found }
  }

  /** The whole log as plain text, oldest first, file by file. */
  async *text(): AsyncGenerator<string> {
    for (const name of await logFilesIn(this.#dir)) {
      const data = await this.#read(name)
      if (data)
        yield stripControlSequences(Buffer.concat(readEntries(data).entries.map((record) => record.text)).toString())
    }
  }

  /** The lines before a position, newest first; lines that continue in the next file are joined. */
  async *#parts(before: number): AsyncGenerator<LinePart[]> {
    const parts: LinePart[] = []
    for await (const entries of this.#files(before)) {
      let isEndOfFile = true
      for (const part of getLineParts(entries)) {
        const behind = parts.at(-1)
        if (isEndOfFile && part.isContinued && behind) {
          parts.splice(-1, 1, { ...part, line: part.line + behind.line, isContinued: behind.isContinued })
        } else parts.push(part)
        isEndOfFile = false
        // The last part is kept: it may be the rest of a line that began in the previous file.
        if (parts.length > linesPerYield) yield parts.splice(0, linesPerYield)
      }
    }
    if (parts.length > 0) yield parts
  }

  /** The entries before a position, file by file, newest file first. */
  async *#files(before: number): AsyncGenerator<LogRecord[]> {
    for (const name of (await logFilesIn(this.#dir)).toReversed()) {
      if (Number.parseInt(name, 10) >= before) continue
      const data = await this.#read(name)
      if (!data) continue
      yield readEntries(data)
        .entries.filter(({ from }) => from < before)
        .map((entry) => truncateAt(entry, before))
      // Yields to the event loop.
      await breathe()
    }
  }

  /** undefined for a file that was deleted meanwhile to free space. */
  async #read(name: string): Promise<Buffer | undefined> {
    return await ifExists(readFile(join(this.#dir, name)))
  }
}

function truncateAt(entry: LogRecord, before: number): LogRecord {
  const bytes = before - entry.from
  return bytes >= entry.bytes ? entry : { ...entry, bytes, text: entry.text.subarray(0, bytes) }
}

/** The lines of consecutive entries, newest first, long ones in parts. */
function* getLineParts(entries: readonly LogRecord[]): Generator<LinePart> {
  const text = Buffer.concat(entries.map((entry) => entry.text))
  let entryStart = text.length
  let index = entries.length
  const partAt = (start: number, end: number, isContinued: boolean): LinePart => {
    while (start < entryStart || index === entries.length) entryStart -= entries[--index]?.text.length ?? 0
    const { from = 0, epoch = 0 } = entries[index] ?? {}
    const line = stripControlSequences(text.toString('utf8', start, end))
    return { position: from + start - entryStart, epoch, line, isContinued }
  }
  if (text.length === 0) return
  let isOpen = text.at(-1) !== 0x0a
  for (let lineEnd = isOpen ? text.length : text.length - 1; lineEnd >= 0; isOpen = false) {
    const lineStart = lineEnd === 0 ? 0 : text.lastIndexOf(0x0a, lineEnd - 1) + 1
    for (let end = lineEnd, start = Number.POSITIVE_INFINITY; start > lineStart; end = start) {
      const parts = Math.max(1, Math.ceil((end - lineStart) / maxLineBytes))
      start = Math.max(lineStart, charBoundary(text, lineStart + (parts - 1) * maxLineBytes))
      yield partAt(start, end, isOpen || end < lineEnd)
    }
    lineEnd = lineStart - 1
  }
}
