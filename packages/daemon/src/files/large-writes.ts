import type { FileHandle } from 'node:fs/promises'
import { limits } from '@innkeeper/contract/limits'

/** So much is gathered before it is known that there is more; what is smaller as a whole needs no more. */
const firstBytes = 64 * 1024
/** So many parts at most wait for the one that is written: while a disk is brought up to date it may stop for a moment. */
const partsOnTheWay = 4
const none = Buffer.alloc(0)

/** Memory for the next ones, 8 MiB in all: what is only left behind makes V8 look through all of its own. */
const spare: Buffer[] = []
const sparesKept = 8

/**
 * Writes a file from a place on in large parts, some of which are on their way while the next is gathered, and brings it to
 * the disk meanwhile: at the end of a large file little is left to wait for. With `atOnce` nothing is held back while
 * nothing is on its way: what has come is in the file, even if no more ever comes.
 */
export class LargeWrites {
  readonly #file: FileHandle
  readonly #atOnce: boolean
  /** What is gathered, and what is being written meanwhile. */
  #gathering: Buffer = none
  #gathered = 0
  #written: number
  #writing: Promise<void> = Promise.resolve()
  readonly #onTheWay: Promise<void>[] = []
  /** How much of it is on the disk or on its way there; after a failure nothing more is sent there. */
  #flushed: number
  #flushing: Promise<void> = Promise.resolve()
  #isFlushing = false
  #isFirst = true

  constructor(file: FileHandle, { from = 0, atOnce = false } = {}) {
    this.#file = file
    this.#atOnce = atOnce
    this.#written = from
    this.#flushed = from
  }

  /** Where the next byte belongs. */
  get position(): number {
    return this.#written + this.#gathered
  }

  /** Takes the next bytes; one call after the other. The chunk is the caller's again when this resolves. */
  async write(chunk: Uint8Array): Promise<void> {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#gathering === none) this.#gathering = this.#memoryFor(rest)
      const part = rest.subarray(0, this.#gathering.length - this.#gathered)
      this.#gathering.set(part, this.#gathered)
      this.#gathered += part.length
      rest = rest.subarray(part.length)
      if (this.#gathered === this.#gathering.length) {
        await this.#onTheWay.at(-partsOnTheWay)
        this.#send()
      }
    }
    if (this.#atOnce && this.#onTheWay.length === 0 && this.#gathered > 0) this.#send()
  }

  /** Writes the rest. Tells of any failure there was, of bringing it to the disk too: the system does so only once. */
  async end(): Promise<void> {
    if (this.#gathered > 0) this.#send()
    await this.#writing
    await this.#flushing
  }

  /** When nothing is at work any more: before that the descriptor must not be closed. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#flushing])
  }

  #memoryFor({ length }: Uint8Array): Buffer {
    const { fileWriteBytes } = limits
    const size = this.#isFirst ? Math.max(firstBytes, Math.min(length, fileWriteBytes)) : fileWriteBytes
    return (size === fileWriteBytes && spare.pop()) || Buffer.allocUnsafeSlow(size)
  }

  /** Writes what is gathered, behind what is on its way. */
  #send(): void {
    const [full, length, position] = [this.#gathering, this.#gathered, this.#written]
    const before = this.#writing
    this.#isFirst = false
    this.#writing = before
      .then(() => writeWhole(this.#file, full.subarray(0, length), position))
      .then(() => {
        void this.#onTheWay.shift()
        if (full.length === limits.fileWriteBytes && spare.length < sparesKept) spare.push(full)
        if (this.#atOnce && this.#onTheWay.length === 0 && this.#gathered > 0) this.#send()
      })
    // It is told to whoever writes next.
    this.#writing.catch(() => {})
    this.#onTheWay.push(this.#writing)
    this.#written += length
    this.#gathered = 0
    this.#gathering = none
    this.#flush(position)
  }

  #flush(written: number): void {
    if (this.#isFlushing || written - this.#flushed < limits.fileFlushBytes) return
    this.#flushed = written
    this.#isFlushing = true
    this.#flushing = this.#file.datasync().then(() => {
      this.#isFlushing = false
    })
    // It is told at the end.
    this.#flushing.catch(() => {})
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done)
    done += bytesWritten
  }
}
