import type { Socket } from 'node:net'
import { FrameReader, frame } from './frames.ts'
import type { HeldRun } from './held-run.ts'
import { type FromKeeper, keeperLimits, type ToKeeper } from './protocol.ts'

/**
 * The daemon in charge, as the keeper sees it: what it follows, and how far each run's output was sent.
 * Output is written only when the socket has taken the last of it, so nothing piles up here for a daemon that is slow.
 */
export class DaemonConnection {
  readonly #socket: Socket
  /** Offset behind what was sent, by the run that is followed. */
  readonly #sent = new Map<HeldRun, number>()
  /** Followed runs that may have something to send, in the order of their turn. */
  readonly #waiting = new Set<HeldRun>()
  #isBlocked = false
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
        why = new Error('a daemon said something that is not understood', { cause: error })
        socket.destroy()
      }
    })
    socket.on('drain', () => {
      this.#isBlocked = false
      this.#flush()
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

  tell(message: FromKeeper): void {
    if (this.#socket.writable) this.#socket.write(frame(message))
  }

  follow(run: HeldRun, from: number): void {
    this.#sent.set(run, from)
    this.mind(run)
  }

  unfollow(run: HeldRun): void {
    this.#sent.delete(run)
    this.#waiting.delete(run)
  }

  /** There may be something new of this run. At once on a quiet console, gathered under continuous output. */
  mind(run: HeldRun): void {
    if (!this.#sent.has(run)) return
    this.#waiting.add(run)
    if (this.#isBlocked || this.#flushing) return
    const rest = this.#flushedAt + keeperLimits.flushEveryMs - performance.now()
    this.#flushing = rest > 0 ? setTimeout(() => this.#flush(), rest) : setImmediate(() => this.#flush())
  }

  close(): void {
    this.#socket.end()
    // A daemon that hangs would keep the connection half open for ever.
    this.#socket.destroySoon()
  }

  #flush(): void {
    this.#flushing = undefined
    this.#flushedAt = performance.now()
    for (const run of this.#waiting) {
      if (this.#isBlocked || !this.#socket.writable) return
      this.#waiting.delete(run)
      this.#sendPart(run)
    }
  }

  /** One frame of output and back to the end of the line, or the end of the run when all was sent. */
  #sendPart(run: HeldRun): void {
    const { from, bytes } = run.output.read(this.#sent.get(run) ?? 0, keeperLimits.chunkBytes)
    if (bytes.length > 0) {
      this.#sent.set(run, from + bytes.length)
      this.#isBlocked = !this.#socket.write(frame({ is: 'output', id: run.id, from } satisfies FromKeeper, bytes))
      this.#waiting.add(run)
    } else if (run.exit) {
      this.tell({ is: 'ended', id: run.id, exit: run.exit, end: run.output.end })
      this.#sent.delete(run)
    }
  }
}
