import type { Worker } from 'node:worker_threads'
import { startWorker, type ThreadOptions } from './start-worker.ts'

/** Idle time before a thread is stopped; starting one takes a moment. */
const idleMs = 60_000

interface Listener<Response> {
  readonly onMessage: (answer: Response) => void
  /** Called once when the thread has ended, with the error; without one it was idle. */
  readonly onEnd: (error?: unknown) => void
}

/** A reusable worker thread. It does not keep the process alive while idle. */
export class PooledWorker<Order, Response> {
  readonly #worker: Worker
  readonly #listener: Listener<Response>
  #unused: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor(program: URL, listener: Listener<Response>, options: ThreadOptions) {
    this.#listener = listener
    this.#worker = startWorker(program, options)
    this.#worker.on('message', listener.onMessage)
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('A worker thread of the daemon has ended')))
  }

  /** Sends a message. The memory in `transfer` belongs to the thread afterwards. */
  post(order: Order, transfer: readonly ArrayBuffer[] = []): void {
    clearTimeout(this.#unused)
    this.#worker.ref()
    this.#worker.postMessage(order, transfer)
  }

  /** Marks the thread as idle. */
  idle(): void {
    // Not awaited.
    this.#worker.unref()
    clearTimeout(this.#unused)
    this.#unused = setTimeout(() => {
      this.#end()
      void this.#worker.terminate()
    }, idleMs).unref()
  }

  /** Ends the thread, also while it is busy. */
  terminate(error: Error): void {
    this.#end(error)
    void this.#worker.terminate()
  }

  #end(error?: unknown): void {
    clearTimeout(this.#unused)
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#listener.onEnd(error)
  }
}
