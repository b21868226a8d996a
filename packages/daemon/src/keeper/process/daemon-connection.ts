import type { Socket } from 'node:net'
import { FrameReader, frame, writeHeader } from '../frames.ts'
import { type Exit, type FromKeeper, keeperLimits, type ToKeeper } from '../protocol.ts'
import type { KeeperRun } from './keeper-run.ts'

/** Frames of several runs are combined into one write. */
const batchBytes = 4 * keeperLimits.chunkBytes
/** Maximum size of a frame header for output. */
const headerBytes = 1024

/**
 * The connected daemon: which runs it follows, and the offset sent of each. One batch of output is written at a time,
 * so nothing accumulates for a slow daemon.
 */
export class DaemonConnection {
  readonly #socket: Socket
  /** Offset after the last byte sent, by followed run. */
  readonly #sent = new Map<KeeperRun, number>()
  /** Followed runs that may have data to send, in round-robin order. */
  readonly #waiting = new Set<KeeperRun>()
  readonly #batch = Buffer.allocUnsafeSlow(batchBytes)
  #isSending = false
  #flushing: NodeJS.Timeout | NodeJS.Immediate | undefined
  #flushedAt = 0

  constructor(socket: Socket, onMessage: (message: ToKeeper, payload: Buffer) => void, onClose: (why?: Error) => void) {
    this.#socket = socket
    const reader = new FrameReader<ToKeeper>(onMessage)
    let why: Error | undefined
    socket.on('data', (bytes) => {
      try {
        reader.read(bytes)
      } catch (error) {
        why = new Error('invalid message from a daemon', { cause: error })
        socket.destroy()
      }
    })
    socket.on('error', (error) => {
      why = error
    })
    socket.on('close', () => {
      this.#waiting.clear()
      this.#sent.clear()
      onClose(why)
    })
  }

  send(message: FromKeeper): void {
    if (this.#socket.writable) this.#socket.write(frame(message))
  }

  follow(run: KeeperRun, from: number): void {
    this.#sent.set(run, from)
    this.schedule(run)
  }

  unfollow(run: KeeperRun): void {
    this.#sent.delete(run)
    this.#waiting.delete(run)
  }

  /** Schedules a send for this run: immediately on a quiet console, batched under continuous output. */
  schedule(run: KeeperRun): void {
    if (!this.#sent.has(run)) return
    this.#waiting.add(run)
    if (this.#isSending || this.#flushing) return
    const rest = this.#flushedAt + keeperLimits.flushEveryMs - performance.now()
    this.#flushing = rest > 0 ? setTimeout(() => this.#flush(), rest) : setImmediate(() => this.#flush())
  }

  close(): void {
    this.#socket.end()
    // A hanging daemon would keep the connection half open.
    this.#socket.destroySoon()
  }

  #flush(): void {
    this.#flushing = undefined
    if (this.#isSending || !this.#socket.writable) return
    this.#flushedAt = performance.now()
    let length = 0
    for (const run of this.#waiting) {
      if (length + headerBytes > batchBytes) break
      this.#waiting.delete(run)
      length = this.#writeOutput(run, length)
    }
    if (length === 0) return
    this.#isSending = true
    this.#socket.write(this.#batch.subarray(0, length), () => {
      this.#isSending = false
      if (this.#waiting.size > 0) this.#flush()
    })
  }

  /** Writes one frame of output and requeues the run; or its exit, when all output was sent. */
  #writeOutput(run: KeeperRun, at: number): number {
    const { from, length } = run.output.available(this.#sent.get(run) ?? 0)
    if (length === 0) return run.exit ? this.#writeEnd(run, run.exit, at) : at
    const part = { from, length: Math.min(length, keeperLimits.chunkBytes, batchBytes - at - headerBytes) }
    const message = { is: 'output', id: run.id, from } satisfies FromKeeper
    const payloadAt = writeHeader(this.#batch, at, JSON.stringify(message), part.length)
    run.output.copy(this.#batch, payloadAt, part)
    this.#sent.set(run, from + part.length)
    this.#waiting.add(run)
    return payloadAt + part.length
  }

  #writeEnd(run: KeeperRun, exit: Exit, at: number): number {
    const message = { is: 'ended', id: run.id, exit, end: run.output.end } satisfies FromKeeper
    this.#sent.delete(run)
    return writeHeader(this.#batch, at, JSON.stringify(message), 0)
  }
}
