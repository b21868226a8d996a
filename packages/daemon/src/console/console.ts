import type { ConsoleEncoding } from '@innkeeper/contract/definitions/console-encodings'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { untilUnlocked, withLock } from '@innkeeper/contract/jobs/mutex'
import { daemonPrefix } from '@innkeeper/contract/servers/live'
import { stripControlSequences } from '@innkeeper/contract/text/control-sequences'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type { Run } from '../processes/run.ts'
import { outputDecoder } from './encodings.ts'
import { Frame } from './frame.ts'
import { ConsoleHistory, type HistoryPage, type Line } from './history.ts'
import { ConsoleLog, type Entry, formatEntries } from './log.ts'
import { Ring } from './ring.ts'
import { flushBytes, SharedBufferPool } from './shared-buffer.ts'

/** Output in memory for viewers that join, and the maximum that waits for the log. */
const bufferBytes = 4_194_304
/** Interval of batches on a busy console; each reader adds to it, because each batch is sent to all of them. */
const flushIntervalMs = 33
const flushIntervalPerReaderMs = 3
const maxFlushIntervalMs = 3_000
/** Maximum length of a message of the daemon on a console. */
export const maxMessageChars = 65_536
/** Output is delayed for slow viewers for this long in each period, then they skip. */
const maxHoldMs = 250
const holdPeriodMs = 1_000

const newLine = Buffer.from('\n')

/** A message can contain the text of a program; its indentation stays. */
const withoutControls = (line: string): string => line.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')

/** Shared by all consoles. */
const bufferPool = new SharedBufferPool()

/** The part of a run that a console needs to follow its output. */
export type OutputSource = Pick<Run, 'id' | 'key' | 'follow' | 'acknowledge' | 'exited' | 'onNotice'>

/** An undecoded piece: no character of any encoding becomes more than three times as long in UTF-8. */
const undecodedBytes = Math.floor(flushBytes / 3)

interface FollowOptions {
  /** Whether nothing of it is in the log yet. */
  readonly isNew: boolean
  /** Of its output; UTF-8 by default. */
  readonly encoding?: ConsoleEncoding | undefined
}

/** Output waiting for the log: complete characters of a run, or a message of the daemon. */
interface PendingOutput {
  readonly bytes: Buffer
  readonly run?: OutputSource
  /** Offset of the run's output after this piece. */
  readonly end: number
}

/** A range of console output. */
interface Output {
  /** When the last of it was printed, in whole epoch seconds. */
  readonly epoch: number
  readonly logs: string
  readonly from: number
  readonly to: number
}

/**
 * The console of one server: output goes to the log on disk first, then to viewers. A position is the number of bytes
 * since the console began. Costs nothing while the server is silent.
 */
export class Console {
  readonly #dir: string
  readonly #log: Logger
  readonly #ring = new Ring(bufferBytes)
  readonly #readers = new Set<Reader>()
  readonly #listeners = new Set<(run: OutputSource, data: Uint8Array) => void>()
  #opening: Promise<ConsoleLog> | undefined
  #position = 0
  #epoch = 0
  #endsLine = true
  #pending: PendingOutput[] = []
  #pendingBytes = 0
  #flushedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #isWriting = false
  #isPersisted = true
  #isClosed = false
  /** Everything is logged and the log is closed permanently. */
  #isFinished = false
  #loading: Promise<void> | undefined
  /** How long output was paused for slow readers in the current second. */
  #readerWait = { since: 0, usedMs: 0 }

  constructor(deps: { dir: string; log: Logger }) {
    this.#dir = deps.dir
    this.#log = deps.log
  }

  /** Prints a message of the daemon on lines of its own; long messages are truncated. */
  say(message: string): void {
    const max = maxMessageChars
    const text = message.length > max ? `${message.slice(0, max)}…` : message
    const lines = stripControlSequences(text).trimEnd().split('\n').map(withoutControls)
    this.#append({ bytes: Buffer.from(lines.map((line) => `${daemonPrefix}${line}\n`).join('')), end: 0 })
  }

  /** Follows the output of a run from the logged offset. Resolves when the run has exited and everything is logged. */
  async follow(run: OutputSource, { isNew, encoding }: FollowOptions): Promise<void> {
    const offset = isNew ? 0 : await this.#withLog((log) => log.readOffset(run.id))
    const joiner = outputDecoder(encoding)
    const pieceBytes = encoding === undefined ? flushBytes : undecodedBytes
    let expected = offset
    run.onNotice?.((message) => this.say(message))
    run.follow(offset, (data, from) => {
      // Writing is slower than printing: output dropped here appears as the next gap.
      if (this.#pendingBytes > bufferBytes) return
      if (from > expected) {
        this.#append({ bytes: joiner.end(), run, end: expected })
        this.say(
          `${sizeText(from - expected)} of output was dropped because the server prints faster than output can be written to disk`,
        )
      }
      const skipped = Math.max(0, expected - from)
      const tell = (bytes: Uint8Array) => {
        for (const listen of this.#listeners) listen(run, bytes)
      }
      if (encoding === undefined) tell(data.subarray(skipped))
      for (let at = skipped; at < data.length; at += pieceBytes) {
        const part = data.subarray(at, at + pieceBytes)
        const bytes = joiner.push(part)
        if (encoding !== undefined) tell(bytes)
        this.#append({ bytes, run, end: from + at + part.length - joiner.pending })
      }
      expected = Math.max(expected, from + data.length)
    })
    await run.exited
    this.#append({ bytes: joiner.end(), run, end: expected })
    await this.flushed()
  }

  /**
   * Returns what was printed after a time (epoch seconds); 0 returns everything available. For a whole second the
   * current second is excluded: it may continue, and a client with whole seconds would lose or double a part of it.
   */
  async since(time: number): Promise<Output> {
    await this.#drained()
    const isWhole = time > 0 && Number.isInteger(time)
    const begin = isWhole ? time + 1 : time
    const end = isWhole ? Math.floor(Date.now() / 1000) : Number.POSITIVE_INFINITY
    const frames: Frame[] = []
    let to = this.#end
    for (let number = this.#ring.next - 1; number >= this.#ring.first; number--) {
      const frame = this.#ring.at(number)
      if (!frame || (isWhole ? frame.epoch < begin : frame.epoch <= begin)) break
      if (frame.epoch < end) frames.unshift(frame)
      else to = frame.from
    }
    return getOutput(frames, to, isWhole ? time : Date.now() / 1000 - 1)
  }

  /** Returns what was printed after a position; everything available when this console never reached it. */
  async after(position: number): Promise<Output> {
    await this.#drained()
    const first = this.#ring.find(position > this.#end ? 0 : position)
    const frames: Frame[] = []
    for (let number = first; number < this.#ring.next; number++) {
      const frame = this.#ring.at(number)
      if (frame) frames.push(number === first && position <= this.#end ? frame.after(position) : frame)
    }
    return getOutput(frames, this.#end, Date.now() / 1000)
  }

  /** Returns a page of the history before a position or the end; further back than viewers get. */
  async page(before?: number): Promise<HistoryPage> {
    const history = await this.#history()
    return await history.page(before ?? this.#position, limits.consolePageBytes)
  }

  /** Searches lines before a position or the end: see `ConsoleHistory.search`. */
  async search(text: string, before?: number): Promise<{ found: Line[]; next?: number }> {
    const history = await this.#history()
    return await history.search(text, before ?? this.#position)
  }

  /** The whole log as plain text. */
  async *wholeText(): AsyncGenerator<string> {
    yield* (await this.#history()).text()
  }

  /** Creates a reader for the output from now on; `onMore` is called when there is some. */
  read(onMore: () => void): Reader {
    const reader = new Reader(this.#ring, onMore, {
      available: async () => {
        await this.#drained()
        return { from: this.#ring.from ?? this.#position, to: this.#position }
      },
      close: () => this.#readers.delete(reader),
    })
    this.#readers.add(reader)
    return reader
  }

  /**
   * Calls the listener with the output of processes, in UTF-8 if their encoding is known. The bytes are valid only during the call. Returns the unsubscribe
   * function.
   */
  listen(listener: (run: OutputSource, data: Uint8Array) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when everything printed so far is logged. */
  async flushed(): Promise<void> {
    while (this.#pending.length > 0 || this.#isWriting) await this.#flush()
  }

  /** Logs what was printed so far; later output stays in the keeper. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.flushed()
    this.#isFinished = true
    const opening = this.#opening
    this.#opening = undefined
    await (await opening)?.close()
  }

  /** Closes the console and deletes its log. */
  async remove(): Promise<void> {
    await this.close()
    await ConsoleLog.remove(this.#dir)
  }

  /** The position after all logged output. */
  get #end(): number {
    return this.#ring.to || this.#position
  }

  #append(piece: PendingOutput): void {
    if (this.#isClosed || piece.bytes.length === 0) return
    this.#pending.push(piece)
    this.#pendingBytes += piece.bytes.length
    this.#schedule()
  }

  /** Immediately on a quiet console, in batches on a busy one. */
  #schedule(): void {
    if (this.#isWriting) return
    const wait = this.#flushedAt + this.#flushIntervalMs - performance.now()
    if (wait <= 0 || this.#pendingBytes >= flushBytes) void this.#flush()
    else this.#timer ??= setTimeout(() => void this.#flush(), wait)
  }

  get #flushIntervalMs(): number {
    const forReaders = Math.min(this.#readers.size * flushIntervalPerReaderMs, maxFlushIntervalMs)
    return Math.max(flushIntervalMs, forReaders)
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isWriting) {
      await untilUnlocked(this)
      return
    }
    this.#isWriting = true
    await withLock([this], () => this.#write())
    this.#isWriting = false
    this.#flushedAt = performance.now()
    if (this.#pending.length > 0) this.#schedule()
  }

  /** Waits until the history is loaded and earlier output is logged. */
  async #drained(): Promise<void> {
    await this.#loadHistory()
    await untilUnlocked(this)
    if (this.#pending.length > 0) await this.#flush()
  }

  /** Never rejects: output is shown even if it cannot be written. */
  async #write(): Promise<void> {
    const log = await this.#openLog().catch((cause: unknown) => this.#reportFailure(cause))
    const records = this.#takeBatch()
    for (const { block, length, texts } of formatEntries(this.#getEntries(records), bufferPool)) {
      const isPersisted = await log?.append(block.buffer.subarray(0, length), texts[0]?.entry.from ?? 0).then(
        () => true,
        (cause: unknown) => this.#reportFailure(cause),
      )
      if (isPersisted) this.#isPersisted = true
      for (const { entry, text } of texts) this.#ring.push(new Frame(entry.from, entry.epoch, text, block))
      block.release()
    }
    const ends = new Map(records.flatMap(({ run, end }) => (run ? [[run, end] as const] : [])))
    for (const reader of this.#readers) reader.notify()
    await this.#waitForReaders()
    for (const [run, end] of ends) run.acknowledge(end)
  }

  /** Takes everything pending, but of a flood only a limited batch. */
  #takeBatch(): PendingOutput[] {
    let bytes = 0
    const count = this.#pending.findIndex((piece) => {
      bytes += piece.bytes.length
      return bytes > limits.viewerBacklogBytes
    })
    const records = this.#pending.splice(0, count < 0 ? this.#pending.length : Math.max(1, count))
    this.#pendingBytes -= records.reduce((sum, piece) => sum + piece.bytes.length, 0)
    return records
  }

  /**
   * Pauses briefly for readers that read but are slow: output that is not acknowledged pauses the server. Does not wait
   * for readers that do not read at all.
   */
  async #waitForReaders(): Promise<void> {
    const now = performance.now()
    if (now - this.#readerWait.since > holdPeriodMs) this.#readerWait = { since: now, usedMs: 0 }
    const left = maxHoldMs - this.#readerWait.usedMs
    const slowReaders = [...this.#readers].filter((reader) => reader.isBehind())
    if (slowReaders.length === 0 || left <= 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, left)
    void Promise.all(slowReaders.map((reader) => reader.caughtUp())).then(() => resolve())
    await promise
    clearTimeout(timer)
    this.#readerWait.usedMs += performance.now() - now
  }

  /** Flushes pending output first. The log is read concurrently with writes, so a long search does not block them. */
  async #history(): Promise<ConsoleHistory> {
    await this.#openLog()
    await this.flushed()
    return new ConsoleHistory(this.#dir)
  }

  #reportFailure(cause: unknown): undefined {
    if (this.#isPersisted) this.#log.error({ err: cause }, 'failed to write console output to disk')
    this.#isPersisted = false
  }

  /** Merges consecutive pieces of one source into entries of bounded size. */
  #getEntries(records: readonly PendingOutput[]): Entry[] {
    const entries: Entry[] = []
    let group: PendingOutput[] = []
    let size = 0
    const finish = () => {
      const last = group.at(-1)
      if (!last) return
      const isMessage = last.run === undefined
      const parts = [...(isMessage && !this.#endsLine ? [newLine] : []), ...group.map((piece) => piece.bytes)]
      const bytes = parts.reduce((sum, part) => sum + part.length, 0)
      this.#epoch = Math.max(this.#epoch + 1e-6, Date.now() / 1000)
      const run = last.run && { id: last.run.id, end: last.end }
      entries.push({ parts, bytes, from: this.#position, epoch: this.#epoch, ...(run && { run }) })
      this.#position += bytes
      this.#endsLine = last.bytes.at(-1) === 0x0a
      group = []
      size = 0
    }
    for (const piece of records) {
      if (group.at(-1)?.run !== piece.run || size + piece.bytes.length > flushBytes) finish()
      group.push(piece)
      size += piece.bytes.length
    }
    finish()
    return entries
  }

  /** Loads the ring buffer from the log of earlier daemons, once, on first use. */
  #loadHistory(): Promise<void> {
    this.#loading ??= this.#withLog(async (log) => {
      const from = this.#ring.from ?? this.#position
      const older = await log.tail(bufferBytes)
      this.#ring.unshift(older.filter((frame) => frame.to <= from))
    }).catch((cause: unknown) => {
      this.#loading = undefined
      if (!this.#isFinished) this.#log.error({ err: cause }, 'failed to read the console history')
    })
    return this.#loading
  }

  /** Reads the log between two writes, which are serialized. */
  #withLog<T>(work: (log: ConsoleLog) => Promise<T>): Promise<T> {
    return withLock([this], async () => await work(await this.#openLog()))
  }

  /** Rejects with ErrServiceNotAvailable once the console is closed: a removed log must not be recreated. */
  async #openLog(): Promise<ConsoleLog> {
    if (this.#isFinished) throw new Refusal('ErrServiceNotAvailable')
    this.#opening ??= ConsoleLog.open(this.#dir).then(
      (log) => {
        this.#position = Math.max(this.#position, log.end.position)
        this.#epoch = Math.max(this.#epoch, log.end.epoch)
        this.#endsLine = log.end.isLineEnd
        return log
      },
      (cause: unknown) => {
        this.#opening = undefined
        throw cause
      },
    )
    return this.#opening
  }
}

interface Source {
  /** The positions that can be read now. */
  available(): Promise<{ from: number; to: number }>
  close(): void
}

/** Reads a console at its own pace; output that leaves the ring buffer before it is read is skipped. */
export class Reader {
  readonly #ring: Ring
  readonly #onMore: () => void
  readonly #source: Source
  #next: number
  /** Part of a frame, for a position inside it. */
  #partialFrame: Frame | undefined
  #hasRead = true
  /** The number of the first frame after a replay. */
  #replayEnd = Number.NEGATIVE_INFINITY
  #onCaughtUp: (() => void) | undefined

  constructor(ring: Ring, onMore: () => void, source: Source) {
    this.#ring = ring
    this.#onMore = onMore
    this.#source = source
    this.#next = ring.next
  }

  /** Returns the next message of the console; undefined when there is none yet. */
  next(): Buffer | undefined {
    const ahead = this.#partialFrame
    this.#partialFrame = undefined
    if (ahead) return ahead.message
    this.#next = Math.max(this.#next, this.#ring.first)
    const message = this.#ring.message(this.#next)
    if (message) this.#next++
    this.#hasRead = true
    if (this.#lag <= behindBytes / 2) this.#onCaughtUp?.()
    return message
  }

  /** Skips all unread output but the last of about this size; not what was requested with `seek`. */
  skip(maxBytes: number): void {
    if (!this.isReplaying && this.#lag > maxBytes) this.#next = this.#ring.find(this.#ring.to - maxBytes)
  }

  /** Whether it has not read all of a replay yet. */
  get isReplaying(): boolean {
    return this.#partialFrame !== undefined || this.#next < this.#replayEnd
  }

  /** The position of the next output. */
  get position(): number {
    return this.#ring.at(Math.max(this.#next, this.#ring.first))?.from ?? this.#ring.to
  }

  /** Whether it reads, but is so far behind that it may lose output. Called once per batch. */
  isBehind(): boolean {
    const isBehind = this.#hasRead && this.#lag > behindBytes
    this.#hasRead = false
    return isBehind
  }

  /** Resolves when it has nearly caught up, or is closed. */
  async caughtUp(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onCaughtUp = resolve
    await promise
    this.#onCaughtUp = undefined
  }

  /** Unread bytes. */
  get #lag(): number {
    const next = this.#ring.at(Math.max(this.#next, this.#ring.first))
    return next ? this.#ring.to - next.from : 0
  }

  /** Moves to a position, or to the oldest output. Returns the available range. */
  async seek(position = 0): Promise<{ from: number; to: number }> {
    const available = await this.#source.available()
    // A position that this console never reached belongs to another console.
    const target = position > available.to ? available.from : position
    this.#next = this.#ring.find(target)
    const frame = this.#ring.at(this.#next)
    this.#replayEnd = this.#ring.next
    this.#partialFrame = undefined
    if (frame && frame.from < target) {
      this.#partialFrame = frame.after(target)
      this.#next++
    }
    return { from: Math.max(target, available.from), to: available.to }
  }

  notify(): void {
    this.#onMore()
  }

  close(): void {
    this.#onCaughtUp?.()
    this.#source.close()
  }
}

/** Half of the ring buffer: beyond it a reader is about to lose output. */
const behindBytes = bufferBytes / 2

/** `epoch` is used when nothing was printed. */
function getOutput(frames: readonly Frame[], to: number, epoch: number): Output {
  return {
    epoch: Math.floor(frames.at(-1)?.epoch ?? epoch),
    logs: frames.map(({ text }) => text).join(''),
    from: frames[0]?.from ?? to,
    to,
  }
}

function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`
}
