import type { Worker } from 'node:worker_threads'
import { startWorker, type ThreadOptions } from './start-worker.ts'

/** So long it is kept without work: to begin one takes a moment. */
const idleMs = 60_000

interface Listener<Answer> {
  readonly onMessage: (answer: Answer) => void
  /** Called once, when it can be asked no more: why, or `undefined` when it had nothing to do for a while. */
  readonly onEnd: (error?: unknown) => void
}

/** A thread of the daemon. It does not keep the process from ending while it rests. */
export class PooledWorker<Order, Answer> {
  readonly #worker: Worker
  readonly #listener: Listener<Answer>
  #unused: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor(program: URL, listener: Listener<Answer>, options: ThreadOptions) {
    this.#listener = listener
    this.#worker = startWorker(program, options)
    this.#worker.on('message', listener.onMessage)
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('A thread of the daemon has ended')))
  }

  ask(order: Order): void {
    clearTimeout(this.#unused)
    this.#worker.ref()
    this.#worker.postMessage(order)
  }

  /** Nothing is to do for now. */
  idle(): void {
    // Nobody has to wait for its end.
    this.#worker.unref()
    clearTimeout(this.#unused)
    this.#unused = setTimeout(() => {
      this.#end()
      void this.#worker.terminate()
    }, idleMs).unref()
  }

  #end(error?: unknown): void {
    clearTimeout(this.#unused)
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#listener.onEnd(error)
  }
}
