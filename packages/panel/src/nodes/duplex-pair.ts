import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { BufferPool } from './buffer-pool.ts'

/** Bytes to transfer before yielding to the event loop; two fast ends would starve it. */
const yieldAfterBytes = 1024 * 1024
/** Smaller reads get a buffer of their own size: they are responses, not parts of a file. */
const smallBytes = 16 * 1024

/** Two connected in-process streams with backpressure. */
export interface DuplexPair {
  /** Reads use this buffer pool, like a socket opened with `onread`. */
  readonly near: Socket
  readonly far: Duplex
}

export function duplexPair(memory: BufferPool): DuplexPair {
  const [near, far] = [new End({ memory, allowHalfOpen: false }), new End({ allowHalfOpen: true })]
  near.join(far)
  far.join(near)
  // The part of a socket's interface that an HTTP client uses.
  return { near: near as Duplex as Socket, far }
}

class End extends Duplex {
  /** As in `net.Socket`: an HTTP server uses it to notice whether a body still arrives. */
  bytesRead = 0
  readonly #memory: BufferPool | undefined
  #other: End | undefined
  /** Continues with pending data of the other end, once there is room. */
  #more: (() => void) | undefined
  /** Calls back when the chunk of the other end was received or failed. */
  #written: ((error?: Error) => void) | undefined
  #sinceTurn = 0

  constructor({ memory, allowHalfOpen }: { readonly memory?: BufferPool; readonly allowHalfOpen: boolean }) {
    super({ readableHighWaterMark: 1, allowHalfOpen })
    this.#memory = memory
  }

  join(other: End): void {
    this.#other = other
  }

  override _read(): void {
    const more = this.#more
    this.#more = undefined
    if (more) this.#later(more)
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#written = done
    if (this.#other) this.#other.#receive(chunk, () => this.#wrote())
  }

  override _final(done: () => void): void {
    this.#other?.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other
    // After both directions have ended the stream just closes; otherwise the other end gets an error.
    if (other && !(this.writableFinished && this.readableEnded)) setImmediate(() => other.destroy())
    this.#more = undefined
    this.#wrote(error ?? new Error('The other end was closed.'))
    done(error)
  }

  #wrote(error?: Error): void {
    const written = this.#written
    this.#written = undefined
    written?.(error)
  }

  /** Delivers a chunk of the other end; `done` is called when the chunk was read and its buffer may be reused. */
  #receive(chunk: Buffer, done: () => void): void {
    const read = this.#copyOf(chunk)
    this.bytesRead += read.length
    this.#sinceTurn += read.length
    const next = read.length === chunk.length ? done : () => this.#receive(chunk.subarray(read.length), done)
    if (this.push(read)) this.#later(next)
    else this.#more = next
  }

  /**
   * Copies the chunk to a buffer of the pool. Without a pool, a reader that keeps a chunk must copy it, as HTTP parsers
   * do.
   */
  #copyOf(chunk: Buffer): Buffer {
    if (!this.#memory) return chunk
    if (chunk.length < smallBytes) return Buffer.from(chunk)
    const into = this.#memory.acquire()
    return this.#memory.slice(into, chunk.copy(into))
  }

  /** Only after the reader has returned from the current chunk. */
  #later(act: () => void): void {
    if (this.#sinceTurn < yieldAfterBytes) {
      process.nextTick(act)
    } else {
      this.#sinceTurn = 0
      setImmediate(act)
    }
  }
}
