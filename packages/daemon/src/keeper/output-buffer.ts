const smallest = 4 * 1024
/** An empty ring beyond this size is given back. */
const keptWhenEmpty = 64 * 1024

/**
 * The output of one run that nobody has acknowledged yet, by offset since the run began.
 * One ring of bytes that grows with what is waiting, up to a limit, and beyond it loses the oldest.
 */
export class OutputBuffer {
  readonly #limit: number
  #ring = Buffer.alloc(0)
  #from = 0
  #end = 0
  #acknowledged = 0

  /** `limit` is a power of two. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Offset behind the last byte that was ever appended. */
  get end(): number {
    return this.#end
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  /** Bytes held. */
  get size(): number {
    return this.#end - this.#from
  }

  append(bytes: Uint8Array): void {
    const kept = bytes.length > this.#limit ? bytes.subarray(bytes.length - this.#limit) : bytes
    this.#end += bytes.length - kept.length
    this.#from = Math.max(this.#from, this.#end + kept.length - this.#limit)
    this.#from = Math.min(this.#from, this.#end)
    this.#makeRoomFor(this.#end - this.#from + kept.length)
    this.#copy(kept)
    this.#end += kept.length
  }

  /** A copy of at most `most` bytes from `offset` on, or from the oldest held when that is gone. */
  read(offset: number, most: number): { readonly from: number; readonly bytes: Buffer } {
    const from = Math.min(Math.max(offset, this.#from), this.#end)
    const length = Math.min(most, this.#end - from)
    const bytes = Buffer.allocUnsafe(length)
    const at = from & (this.#ring.length - 1)
    const first = this.#ring.copy(bytes, 0, at, Math.min(at + length, this.#ring.length))
    if (first < length) this.#ring.copy(bytes, first, 0, length - first)
    return { from, bytes }
  }

  /** Releases everything before `offset`. */
  acknowledge(offset: number): void {
    this.#acknowledged = Math.min(Math.max(offset, this.#acknowledged), this.#end)
    this.#from = Math.max(this.#from, this.#acknowledged)
    if (this.#from === this.#end && this.#ring.length > keptWhenEmpty) this.#ring = Buffer.alloc(0)
  }

  #makeRoomFor(size: number): void {
    if (size <= this.#ring.length) return
    let length = Math.max(this.#ring.length, smallest)
    while (length < size) length *= 2
    const { bytes } = this.read(this.#from, this.#end - this.#from)
    const end = this.#end
    this.#ring = Buffer.allocUnsafeSlow(length)
    this.#end = this.#from
    this.#copy(bytes)
    this.#end = end
  }

  #copy(bytes: Uint8Array): void {
    const at = this.#end & (this.#ring.length - 1)
    const first = Math.min(bytes.length, this.#ring.length - at)
    this.#ring.set(bytes.subarray(0, first), at)
    if (first < bytes.length) this.#ring.set(bytes.subarray(first), 0)
  }
}
