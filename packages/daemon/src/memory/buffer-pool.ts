/** Buffers of one size that are used again. Large buffers are slow to allocate and slow to collect. */
export class BufferPool {
  readonly bufferBytes: number
  readonly #maxFree: number
  readonly #free: Buffer[] = []

  /** Keeps at most `maxFree` buffers of `bufferBytes` for later. */
  constructor(bufferBytes: number, maxFree: number) {
    this.bufferBytes = bufferBytes
    this.#maxFree = maxFree
  }

  /** Returns a buffer with undefined content. */
  acquire(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bufferBytes)
  }

  /** Returns a buffer that is not in use any more. Ignores buffers of another size. */
  release(buffer: Buffer): void {
    if (buffer.length === this.bufferBytes && this.#free.length < this.#maxFree) this.#free.push(buffer)
  }
}
