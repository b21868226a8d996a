import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { BufferPool } from './buffer-pool.ts'

/** So much passes to an end before everything else in the process has its turn; two fast ends would never let go of it. */
const yieldAfterBytes = 1024 * 1024
/** What is shorter takes memory of its own size: it is somebody's answer, and no part of a file. */
const smallBytes = 16 * 1024

/** Two ends within this process: what is written to one is read from the other, and a slow reader holds its writer. */
export interface DuplexPair {
  /** Reads into the memory that was given, like a socket that was opened with it. */
  readonly near: Socket
  readonly far: Duplex
}

export function duplexPair(memory: BufferPool): DuplexPair {
  const [near, far] = [new End({ memory, allowHalfOpen: false }), new End({ allowHalfOpen: true })]
  near.join(far)
  far.join(near)
  // All of a socket that an HTTP client uses is there.
  return { near: near as Duplex as Socket, far }
}

class End extends Duplex {
  /** As sockets count it: a server sees by this whether a body still comes. */
  bytesRead = 0
  readonly #memory: BufferPool | undefined
  #other: End | undefined
  /** Goes on with what the other end still has, once there is room. */
  #more: (() => void) | undefined
  /** Says what became of the chunk that the other end is being given. */
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
    // Who said all and heard all just goes; of anybody else the other one hears that it is gone.
    if (other && !(this.writableFinished && this.readableEnded)) setImmediate(() => other.destroy())
    this.#more = undefined
    this.#wrote(error ?? new Error('The connection was left.'))
    done(error)
  }

  #wrote(error?: Error): void {
    const written = this.#written
    this.#written = undefined
    written?.(error)
  }

  /** Has its reader read a chunk of the other end; done when it was read and the chunk may be used for something else. */
  #receive(chunk: Buffer, done: () => void): void {
    const read = this.#copyOf(chunk)
    this.bytesRead += read.length
    this.#sinceTurn += read.length
    const next = read.length === chunk.length ? done : () => this.#receive(chunk.subarray(read.length), done)
    if (this.push(read)) this.#later(next)
    else this.#more = next
  }

  /** What fits into the memory for reads. Without such memory the reader has to copy what it keeps, as HTTP parsers do. */
  #copyOf(chunk: Buffer): Buffer {
    if (!this.#memory) return chunk
    if (chunk.length < smallBytes) return Buffer.from(chunk)
    const into = this.#memory.acquire()
    return this.#memory.slice(into, chunk.copy(into))
  }

  /** Not before the reader is done with what it is just given. */
  #later(act: () => void): void {
    if (this.#sinceTurn < yieldAfterBytes) {
      process.nextTick(act)
    } else {
      this.#sinceTurn = 0
      setImmediate(act)
    }
  }
}
