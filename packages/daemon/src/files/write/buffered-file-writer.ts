import type { FileHandle } from 'node:fs/promises'
import { BufferPool } from '../../memory/buffer-pool.ts'
import { type SpaceReservation, unlimitedReservation } from '../space/write-budget.ts'
import { writeAll } from './write-all.ts'

/** Size of a write buffer; at most seven are in use for one file. */
export const writeBufferBytes = 1024 * 1024
/** A file is flushed to disk in parts of this size while it is written. */
const flushBytes = 32 * 1024 ** 2

/** The first buffer of a file; most files need no more. */
const firstBufferBytes = 64 * 1024
/** Maximum number of full buffers waiting for the disk before the sender must wait. */
const maxPendingWrites = 6
const pool = new BufferPool(writeBufferBytes, 8)
const empty = Buffer.alloc(0)

/** Takes bytes synchronously until it is full. */
export interface Sink {
  /** Copies the bytes. Returns false when the caller should wait for `drained` before the next call. */
  push(chunk: Uint8Array): boolean
  /** Resolves when there is room for more. @throws the error of an earlier write. */
  drained(): Promise<void>
}

interface Options {
  readonly position?: number
  readonly eager?: boolean
  /** Space for what is written; the caller disposes it. */
  readonly reservation?: SpaceReservation
}

/**
 * Writes a file in large parts, from `position` on: one buffer is filled while earlier ones are written, and after every
 * {@link flushBytes} the written bytes are flushed, so that little is left to flush at the end of a large file.
 *
 * With `eager`, bytes are written as soon as no other write is pending: what was pushed is in the file, even if nothing
 * more comes.
 */
export class BufferedFileWriter implements Sink {
  readonly #file: FileHandle
  readonly #isEager: boolean
  readonly #reservation: SpaceReservation
  #position: number
  #buffer: Buffer = empty
  #buffered = 0
  #isFirst = true
  /** The pending writes, one after the other, and how many they are. */
  #writing: Promise<void> = Promise.resolve()
  readonly #pending: Promise<void>[] = []
  #unflushed = 0
  #flushing: Promise<void> | undefined

  constructor(file: FileHandle, { position = 0, eager = false, reservation = unlimitedReservation }: Options = {}) {
    this.#file = file
    this.#position = position
    this.#isEager = eager
    this.#reservation = reservation
  }

  /** Offset of the next byte. */
  get position(): number {
    return this.#position + this.#buffered
  }

  push(chunk: Uint8Array): boolean {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#buffer === empty) this.#buffer = this.#allocate(rest.length)
      const part = rest.subarray(0, this.#buffer.length - this.#buffered)
      this.#buffer.set(part, this.#buffered)
      this.#buffered += part.length
      rest = rest.subarray(part.length)
      if (this.#buffered === this.#buffer.length) this.#writeBuffer()
    }
    this.#writeEagerly()
    return this.#pending.length < maxPendingWrites
  }

  async drained(): Promise<void> {
    await this.#pending.at(-maxPendingWrites)
  }

  /** Pushes the bytes and waits until there is room for more. */
  async write(chunk: Uint8Array): Promise<void> {
    if (!this.push(chunk)) await this.drained()
  }

  /** Writes what is buffered. @throws the error of any write or flush; the system reports each only once. */
  async end(): Promise<void> {
    if (this.#buffered > 0) this.#writeBuffer()
    await this.#writing
    await this.#flushing
  }

  /** Resolves when nothing uses the file any more; before that it must not be closed. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#writing])
    await Promise.allSettled([this.#flushing])
    pool.release(this.#buffer)
    this.#buffer = empty
  }

  #allocate(bytes: number): Buffer {
    return this.#isFirst && bytes <= firstBufferBytes ? Buffer.allocUnsafeSlow(firstBufferBytes) : pool.acquire()
  }

  #writeEagerly(): void {
    if (this.#isEager && this.#pending.length === 0 && this.#buffered > 0) this.#writeBuffer()
  }

  #writeBuffer(): void {
    const [buffer, bytes, position] = [this.#buffer, this.#buffered, this.#position]
    this.#position += bytes
    this.#isFirst = false
    this.#buffer = empty
    this.#buffered = 0
    this.#writing = this.#writing
      .then(() => this.#reservation.write(bytes, () => writeAll(this.#file, [buffer.subarray(0, bytes)], position)))
      .finally(() => pool.release(buffer))
      .then(() => {
        void this.#pending.shift()
        this.#flush(bytes)
        this.#writeEagerly()
      })
    // The next call of `drained` or `end` throws it.
    this.#writing.catch(() => {})
    this.#pending.push(this.#writing)
  }

  #flush(written: number): void {
    this.#unflushed += written
    if (this.#flushing || this.#unflushed < flushBytes) return
    this.#unflushed = 0
    const flushing = this.#file.datasync().then(() => {
      this.#flushing = undefined
    })
    // `end` throws it.
    flushing.catch(() => {})
    this.#flushing = flushing
  }
}
