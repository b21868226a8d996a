import type { FileHandle } from 'node:fs/promises'
import { limits } from '@innkeeper/contract/limits'
import { allOf } from './all-of.ts'
import { DirectFile } from './direct-file.ts'
import { giveWriteBlock, takeAlignedBlock, takeWriteBlock } from './write-memory.ts'

/** So much is gathered before it is known that there is more; what is smaller as a whole needs no more. */
const firstBytes = 64 * 1024
/** So many parts at most wait for the one that is written: while a disk is brought up to date it may stop for a moment. */
const partsOnTheWay = 6
/** So many of them may go straight to the disk at a time, each of which takes a thread of the runtime's few meanwhile. */
const directAtOnce = 2
const none = Buffer.alloc(0)

/** From here on a file is large: to open it once more costs less than the copies in the memory of the system. */
const largeBytes = 4 * 1024 * 1024

/** What takes bytes without being waited for, until it has no room. */
export interface Inlet {
  /** Takes the next bytes, which are the caller's again at once. Says whether more may follow, or only when there is room. */
  take(chunk: Uint8Array): boolean
  /** When more may follow. @throws what went wrong with what came before. */
  room(): Promise<void>
}

/**
 * Writes a file from a place on in large parts, some of which are on their way while the next is gathered, and brings it to
 * the disk meanwhile: at the end of a large file little is left to wait for. Most of a large file goes there without a copy
 * in the memory of the system, where it would take the place of what servers read; parts of it may then be there before
 * those in front of them.
 *
 * With `atOnce` nothing is held back while nothing is on its way, and all goes in order: what has come is in the file, even
 * if no more ever comes.
 */
export class LargeWrites implements Inlet {
  readonly #file: FileHandle
  readonly #atOnce: boolean
  #direct: DirectFile | undefined
  #opening: Promise<void> | undefined
  /** What is gathered, and what is being written meanwhile. */
  #gathering: Buffer = none
  #gathered = 0
  #written: number
  /** Ends when all is written that was sent; what is on its way ends with its place in the order. */
  #writing: Promise<void> = Promise.resolve()
  readonly #onTheWay: Promise<void>[] = []
  /** How much of it is in the memory of the system alone; after a failure nothing more is sent to the disk. */
  #unflushed = 0
  #flushing: Promise<void> = Promise.resolve()
  #isFlushing = false
  #isFirst = true

  constructor(file: FileHandle, { from = 0, atOnce = false } = {}) {
    this.#file = file
    this.#atOnce = atOnce
    this.#written = from
  }

  /** Where the next byte belongs. */
  get position(): number {
    return this.#written + this.#gathered
  }

  take(chunk: Uint8Array): boolean {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#gathering === none) this.#gathering = this.#memoryFor(rest)
      const part = rest.subarray(0, this.#gathering.length - this.#gathered)
      this.#gathering.set(part, this.#gathered)
      this.#gathered += part.length
      rest = rest.subarray(part.length)
      if (this.#gathered === this.#gathering.length) this.#send()
    }
    if (this.#atOnce && this.#onTheWay.length === 0 && this.#gathered > 0) this.#send()
    return this.#onTheWay.length < partsOnTheWay
  }

  async room(): Promise<void> {
    await this.#onTheWay.at(-partsOnTheWay)
  }

  /** Takes the next bytes, and waits until there is room for more. */
  async write(chunk: Uint8Array): Promise<void> {
    if (!this.take(chunk)) await this.room()
  }

  /** Writes the rest. Tells of any failure there was, of bringing it to the disk too: the system does so only once. */
  async end(): Promise<void> {
    if (this.#gathered > 0) this.#send()
    await this.#opening
    await this.#writing
    await this.#flushing
  }

  /** When nothing is at work any more: before that the descriptor must not be closed. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#opening, this.#writing])
    await Promise.allSettled([this.#flushing])
    giveWriteBlock(this.#gathering)
    this.#gathering = none
    // What was written by it is written, whether it can be closed or not.
    await Promise.allSettled([this.#direct?.[Symbol.asyncDispose]()])
    this.#direct = undefined
  }

  #memoryFor({ length }: Uint8Array): Buffer {
    if (this.#direct && DirectFile.isPlace(this.#written)) return takeAlignedBlock()
    if (!this.#isFirst || length >= limits.fileWriteBytes) return takeWriteBlock()
    return Buffer.allocUnsafeSlow(Math.max(firstBytes, DirectFile.placeFrom(length)))
  }

  /** Writes what is gathered. */
  #send(): void {
    const [block, length, position] = [this.#gathering, this.#gathered, this.#written]
    this.#isFirst = false
    const before = this.#writing
    const work = this.#write(block, length, position).finally(() => giveWriteBlock(block))
    this.#writing = allOf([before, work]).then(() => {
      void this.#onTheWay.shift()
      if (this.#atOnce && this.#onTheWay.length === 0 && this.#gathered > 0) this.#send()
    })
    // It is told to whoever writes next.
    this.#writing.catch(() => {})
    this.#onTheWay.push(this.#writing)
    this.#written += length
    this.#gathered = 0
    this.#gathering = none
    if (!this.#atOnce && this.#written >= largeBytes) this.#open()
  }

  #open(): void {
    if (this.#opening) return
    this.#opening = DirectFile.into(this.#file).then((direct) => {
      this.#direct = direct
    })
    // It is told at the end.
    this.#opening.catch(() => {})
  }

  async #write(block: Buffer, length: number, position: number): Promise<void> {
    const direct = length === block.length && DirectFile.fits(block, position) ? this.#direct : undefined
    await (direct ? this.#onTheWay.at(-directAtOnce) : this.#writing)
    const done = (await direct?.write(block, position)) ?? 0
    await writeWhole(this.#file, block.subarray(done, length), position + done)
    this.#unflushed += length - done
    this.#flush()
  }

  #flush(): void {
    if (this.#isFlushing || this.#unflushed < limits.fileFlushBytes) return
    this.#unflushed = 0
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
