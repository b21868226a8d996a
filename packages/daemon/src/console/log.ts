import { type FileHandle, mkdir, open, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '@innkeeper/contract/limits'
import { z } from 'zod'
import { Frame } from './frame.ts'

/** A piece of output to keep, and how far the output of its run had come behind it. */
export interface Entry {
  readonly bytes: Buffer
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

interface Kept extends Header {
  readonly text: Buffer
}

/**
 * The console of one server on disk: a few files of bounded size, the oldest is dropped for a new one. An entry is a line
 * of JSON, the text, and a line break; one that `kill -9` left half-written is cut off when the log is opened.
 */
export class ConsoleLog {
  readonly #dir: string
  #files: string[]
  #handle: FileHandle | undefined
  #size: number
  /** Where the console ended when the log was opened. */
  readonly end: { readonly position: number; readonly epoch: number; readonly isLineEnd: boolean }

  private constructor(dir: string, files: string[], size: number, last: Kept | undefined) {
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
    await mkdir(dir, { recursive: true })
    const files = (await readdir(dir)).filter((name) => /^\d{16}\.log$/.test(name)).sort()
    let size = 0
    for (const [back, name] of files.toReversed().entries()) {
      const path = join(dir, name)
      const data = await readFile(path)
      const { entries, end } = read(data)
      if (back === 0) {
        size = end
        if (end < data.length) await truncate(path, end)
      }
      const last = entries.at(-1)
      if (last) return new ConsoleLog(dir, files, size, last)
    }
    return new ConsoleLog(dir, files, size, undefined)
  }

  /** Appends entries with one write. The answer's buffers hold the text of each. */
  async append(entries: readonly Entry[]): Promise<Buffer[]> {
    const { whole, texts } = format(entries)
    const first = entries[0]
    if (!first) return texts
    const handle = await this.#writable(first.from)
    try {
      await handle.appendFile(whole)
    } catch (cause) {
      // A half-written entry would hide all that follows it.
      await handle.truncate(this.#size)
      throw cause
    }
    this.#size += whole.length
    return texts
  }

  /** How much of a run's output is kept: the offset to go on from. */
  async offsetOf(run: string): Promise<number> {
    for (const name of this.#files.toReversed()) {
      const { entries } = read(await readFile(join(this.#dir, name)))
      const last = entries.findLast((entry) => entry.run === run)
      if (last?.end !== undefined) return last.end
    }
    return 0
  }

  /** The last output, oldest first, of at least `bytes` if there is as much. */
  async tail(bytes: number): Promise<Frame[]> {
    const frames: Frame[][] = []
    let total = 0
    for (const name of this.#files.toReversed()) {
      if (total >= bytes) break
      const { entries } = read(await readFile(join(this.#dir, name)))
      frames.unshift(entries.map(({ from, epoch, text }) => new Frame(from, epoch, text)))
      total += entries.reduce((sum, entry) => sum + entry.bytes, 0)
    }
    return frames.flat()
  }

  /** Closes the log and removes it from the disk. */
  async remove(): Promise<void> {
    await this.close()
    await rm(this.#dir, { recursive: true, force: true })
  }

  async close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }

  /** The file that entries go to; a new one when the last is full. */
  async #writable(position: number): Promise<FileHandle> {
    const isFull = this.#size >= limits.consoleLogFileBytes
    if (this.#handle && !isFull) return this.#handle
    const last = this.#files.at(-1)
    const name = last !== undefined && !isFull ? last : `${String(position).padStart(16, '0')}.log`
    const handle = await open(join(this.#dir, name), 'a', 0o600)
    await this.close()
    this.#handle = handle
    if (name === last) return handle
    this.#files.push(name)
    this.#size = 0
    const old = this.#files.splice(0, Math.max(0, this.#files.length - limits.consoleLogFiles))
    await Promise.all(old.map((file) => rm(join(this.#dir, file), { force: true })))
    return handle
  }
}

function format(entries: readonly Entry[]): { whole: Buffer; texts: Buffer[] } {
  const heads = entries.map(({ from, bytes, epoch, run }) => {
    const header: Header = { from, bytes: bytes.length, epoch, ...(run && { run: run.id, end: run.end }) }
    return Buffer.from(`${JSON.stringify(header)}\n`)
  })
  const size = entries.reduce((sum, { bytes }, at) => sum + (heads[at] as Buffer).length + bytes.length + 1, 0)
  const whole = Buffer.allocUnsafeSlow(size)
  let at = 0
  const texts = entries.map(({ bytes }, index) => {
    at += (heads[index] as Buffer).copy(whole, at)
    const start = at
    at += bytes.copy(whole, at)
    whole[at++] = 0x0a
    return whole.subarray(start, start + bytes.length)
  })
  return { whole, texts }
}

/** The entries of a file up to the first that is not whole, and where the last whole one ends. */
function read(data: Buffer): { entries: Kept[]; end: number } {
  const entries: Kept[] = []
  let end = 0
  for (;;) {
    const line = data.indexOf(0x0a, end)
    const header = line < 0 ? undefined : parseHeader(data.toString('utf8', end, line))
    if (!header || data[line + 1 + header.bytes] !== 0x0a) return { entries, end }
    entries.push({ ...header, text: data.subarray(line + 1, line + 1 + header.bytes) })
    end = line + 2 + header.bytes
  }
}

function parseHeader(line: string): Header | undefined {
  try {
    return Header.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
