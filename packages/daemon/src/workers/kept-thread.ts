import type { Worker } from 'node:worker_threads'
import { beginThread, type ThreadOptions } from './begin-thread.ts'

/** So long it is kept without work: to begin one takes a moment. */
const keptMs = 60_000

interface Listener<Answer> {
  readonly heard: (answer: Answer) => void
  /** Called once, when it can be asked no more: why, or `undefined` when it had nothing to do for a while. */
  readonly ended: (error?: unknown) => void
}

/** A thread of the daemon. It does not keep the process from ending while it rests. */
export class KeptThread<Order, Answer> {
  readonly #worker: Worker
  readonly #listener: Listener<Answer>
  #unused: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor(program: URL, listener: Listener<Answer>, options: ThreadOptions) {
    this.#listener = listener
    this.#worker = beginThread(program, options)
    this.#worker.on('message', listener.heard)
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('A thread of the daemon has ended')))
  }

  ask(order: Order): void {
    clearTimeout(this.#unused)
    this.#worker.ref()
    this.#worker.postMessage(order)
  }

  /** Nothing is to do for now. */
  rest(): void {
    // Nobody has to wait for its end.
    this.#worker.unref()
    clearTimeout(this.#unused)
    this.#unused = setTimeout(() => {
      this.#end()
      void this.#worker.terminate()
    }, keptMs).unref()
  }

  #end(error?: unknown): void {
    clearTimeout(this.#unused)
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#listener.ended(error)
  }
}
