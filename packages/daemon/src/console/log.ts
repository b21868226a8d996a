import { type FileHandle, mkdir, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { z } from 'zod'
import { withRollback } from '../errors/cleanup.ts'
import { Frame } from './frame.ts'
import type { SharedBuffer, SharedBufferPool } from './shared-buffer.ts'

export const maxLogFileBytes = 4_194_304
export const maxLogFiles = 16
/** A log file is deleted when nothing was written to it for this long. */
export const logRetentionMs = 90 * 24 * 60 * 60 * 1000

/** Output to log, with the offset of the run's output after it. */
export interface Entry {
  readonly parts: readonly Buffer[]
  /** The bytes of all parts. */
  readonly bytes: number
  readonly from: number
  readonly epoch: number
  readonly run?: { readonly id: string; readonly end: number }
}

const Header = z.object({
  from: z.number().int().min(0),
  bytes: z.number().int().min(0),
  epoch: z.number(),
  run: z.string().optional(),
  end: z.number().optional(),
})
type Header = z.infer<typeof Header>

/** A logged piece of output. */
export interface LogRecord extends Header {
  readonly text: Buffer
}

/**
 * The console log of one server: a few files of bounded size, of which the oldest is deleted for a new one (log rotation).
 * An entry is a line of JSON, the text, and a line break. An incomplete entry after `kill -9` is truncated when the log is opened.
 */
export class ConsoleLog {
  readonly #dir: string
  #files: string[]
  #handle: FileHandle | undefined
  #size: number
  /** Where the console ended when the log was opened. */
  readonly end: { readonly position: number; readonly epoch: number; readonly isLineEnd: boolean }

  private constructor(dir: string, files: string[], size: number, last: LogRecord | undefined) {
    this.#dir = dir
    this.#files = files
    this.#size = size
    this.end = {
      position: last ? last.from + last.bytes : 0,
      epoch: last?.epoch ?? 0,
      isLineEnd: last === undefined || last.text.at(-1) === 0x0a,
    }
  }

  static async open(dir: string): Promise<ConsoleLog> {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const files = await logFilesIn(dir)
    let size = 0
    for (const [back, name] of files.toReversed().entries()) {
      const path = join(dir, name)
      const data = await readFile(path)
      const { entries, end } = readEntries(data)
      if (back === 0) {
        size = end
        if (end < data.length) await truncate(path, end)
      }
      const last = entries.at(-1)
      if (last) return new ConsoleLog(dir, files, size, last)
    }
    return new ConsoleLog(dir, files, size, undefined)
  }

  /** Appends the output of `formatEntries`; `position` is that of the first entry. */
  async append(data: Buffer, position: number): Promise<void> {
    const handle = await this.#fileFor(position)
    // An incomplete entry would hide all that follow.
    await withRollback(handle.appendFile(data), () => handle.truncate(this.#size))
    this.#size += data.length
  }

  /** Returns the logged offset of a run's output. */
  async readOffset(run: string): Promise<number> {
    for (const name of this.#files.toReversed()) {
      const { entries } = readEntries(await readFile(join(this.#dir, name)))
      const last = entries.findLast((entry) => entry.run === run)
      if (last?.end !== undefined) return last.end
    }
    return 0
  }

  /** Returns the last output, oldest first, at least `bytes` if available. */
  async tail(bytes: number): Promise<Frame[]> {
    const frames: Frame[][] = []
    let total = 0
    for (const name of this.#files.toReversed()) {
      if (total >= bytes) break
      const { entries } = readEntries(await readFile(join(this.#dir, name)))
      frames.unshift(entries.map(({ from, epoch, text }) => new Frame(from, epoch, text)))
      total += entries.reduce((sum, entry) => sum + entry.bytes, 0)
    }
    return frames.flat()
  }

  /** Deletes a log; it must be closed. */
  static async remove(dir: string): Promise<void> {
    await rm(dir, { recursive: true, force: true })
  }

  async close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }

  /** Returns the current file; a new one when it is full. */
  async #fileFor(position: number): Promise<FileHandle> {
    const isFull = this.#size >= maxLogFileBytes
    if (this.#handle && !isFull) return this.#handle
    const last = this.#files.at(-1)
    const name = last !== undefined && !isFull ? last : `${String(position).padStart(16, '0')}.log`
    const handle = await open(join(this.#dir, name), 'a', 0o600)
    await this.close()
    this.#handle = handle
    if (name === last) return handle
    this.#files.push(name)
    this.#size = 0
    const old = this.#files.splice(0, Math.max(0, this.#files.length - maxLogFiles))
    await Promise.all(old.map((file) => rm(join(this.#dir, file), { force: true })))
    await this.#removeOutdated()
    return handle
  }

  /** Deletes old files except the current one. */
  async #removeOutdated(): Promise<void> {
    const oldest = Date.now() - logRetentionMs
    for (const file of this.#files.slice(0, -1)) {
      const path = join(this.#dir, file)
      if ((await stat(path)).mtimeMs > oldest) return
      await rm(path)
      this.#files.shift()
    }
  }
}

/** Returns the files of a log, oldest first. A file is named after the position at which it begins. */
export async function logFilesIn(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => /^\d{16}\.log$/.test(name)).sort()
}

/** Maximum size of an entry's JSON line. */
const headerBytes = 256

/** A block with formatted entries. */
interface FilledBlock {
  readonly block: SharedBuffer
  length: number
  readonly texts: { readonly entry: Entry; readonly text: Buffer }[]
}

/** Formats entries into blocks of memory and returns where the text of each is. */
export function formatEntries(entries: readonly Entry[], pool: SharedBufferPool): FilledBlock[] {
  const blocks: FilledBlock[] = []
  let left = entries.reduce((sum, { bytes }) => sum + bytes + headerBytes, 0)
  for (const entry of entries) {
    const size = entry.bytes + headerBytes
    let last = blocks.at(-1)
    if (!last || last.length + size > last.block.buffer.length) {
      last = { block: pool.acquire(Math.max(size, left)), length: 0, texts: [] }
      blocks.push(last)
    }
    left -= size
    last.length = writeEntry(entry, last)
  }
  return blocks
}

function writeEntry(entry: Entry, { block, length, texts }: FilledBlock): number {
  const { from, bytes, epoch, run } = entry
  const header: Header = { from, bytes, epoch, ...(run && { run: run.id, end: run.end }) }
  const start = length + block.buffer.write(`${JSON.stringify(header)}\n`, length)
  let at = start
  for (const part of entry.parts) at += part.copy(block.buffer, at)
  texts.push({ entry, text: block.buffer.subarray(start, at) })
  block.buffer[at] = 0x0a
  return at + 1
}

/** Parses the entries of a file up to the first incomplete one. Returns the end of the last complete entry. */
export function readEntries(data: Buffer): { entries: LogRecord[]; end: number } {
  const entries: LogRecord[] = []
  let end = 0
  for (;;) {
    const line = data.indexOf(0x0a, end)
    const header = line < 0 ? undefined : Header.safeParse(parseJsonOrUndefined(data.toString('utf8', end, line))).data
    if (!header || data[line + 1 + header.bytes] !== 0x0a) return { entries, end }
    entries.push({ ...header, text: data.subarray(line + 1, line + 1 + header.bytes) })
    end = line + 2 + header.bytes
  }
}
