import type { BufferPool } from '../../memory/buffer-pool.ts'

/** A range of output, by offset since the run began. */
export interface OutputRange {
  readonly from: number
  readonly length: number
}

/** The unacknowledged output of one run. Beyond the limit it drops the oldest. */
export class OutputBuffer {
  readonly #pool: BufferPool
  readonly #limit: number
  readonly #blocks: Buffer[] = []
  /** Offset of the first byte of the first block. */
  #base = 0
  #from = 0
  #end = 0
  #acknowledged = 0

  constructor(pool: BufferPool, limit: number) {
    this.#pool = pool
    this.#limit = limit
  }

  /** Offset after the last byte appended. */
  get end(): number {
    return this.#end
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  /** Buffered bytes. */
  get size(): number {
    return this.#end - this.#from
  }

  append(bytes: Uint8Array): void {
    for (let taken = 0; taken < bytes.length; ) {
      const { block, at } = this.#locate(this.#end)
      const part = bytes.subarray(taken, taken + this.#pool.bufferBytes - at)
      block.set(part, at)
      taken += part.length
      this.#end += part.length
      if (this.size > this.#limit) this.#drop(this.#end - this.#limit)
    }
  }

  /** Returns the first available range at or after `offset`. */
  available(offset: number): OutputRange {
    const from = Math.min(Math.max(offset, this.#from), this.#end)
    return { from, length: this.#end - from }
  }

  /** Copies a range into `target`. */
  copy(target: Buffer, targetAt: number, { from, length }: OutputRange): void {
    for (let copied = 0; copied < length; ) {
      const { block, at } = this.#locate(from + copied)
      copied += block.copy(target, targetAt + copied, at, Math.min(block.length, at + length - copied))
    }
  }

  /** Releases everything before `offset`. */
  acknowledge(offset: number): void {
    this.#acknowledged = Math.min(Math.max(offset, this.#acknowledged), this.#end)
    this.#drop(this.#acknowledged)
  }

  /** Releases the memory; offsets are kept. */
  clear(): void {
    this.#drop(this.#end)
  }

  #drop(before: number): void {
    this.#from = Math.max(this.#from, before)
    while (this.#blocks.length > 0 && this.#base + this.#pool.bufferBytes <= this.#from) this.#dropFirst()
    if (this.size === 0) while (this.#blocks.length > 0) this.#dropFirst()
    if (this.#blocks.length === 0) this.#base = this.#end
  }

  #dropFirst(): void {
    const block = this.#blocks.shift()
    if (block) this.#pool.release(block)
    this.#base += this.#pool.bufferBytes
  }

  #locate(offset: number): { block: Buffer; at: number } {
    const index = Math.floor((offset - this.#base) / this.#pool.bufferBytes)
    this.#blocks[index] ??= this.#pool.acquire()
    return { block: this.#blocks[index], at: (offset - this.#base) % this.#pool.bufferBytes }
  }
}
