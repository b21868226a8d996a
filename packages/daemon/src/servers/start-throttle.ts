import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import { type ProcessorTime, processorTime } from '../proc/processor-time.ts'

interface Options {
  readonly read?: () => ProcessorTime
  readonly sampleMs?: number
  readonly maxWaitMs?: number
}

/**
 * The pace at which servers are started one after the other: the next one as soon as the machine has processor time to
 * spare. A machine that is always busy starts them all the same, each after a while.
 */
export class StartThrottle {
  readonly #read: () => ProcessorTime
  readonly #sampleMs: number
  readonly #maxWaitMs: number
  /** Who comes later looks at what those before them began. */
  #queue: Promise<void> = Promise.resolve()

  constructor({ read = processorTime, sampleMs = limits.startLookMs, maxWaitMs = limits.startWaitMs }: Options = {}) {
    this.#read = read
    this.#sampleMs = sampleMs
    this.#maxWaitMs = maxWaitMs
  }

  /** Resolves when the next one may start. */
  acquire(): Promise<void> {
    this.#queue = this.#queue.then(() => this.#wait())
    return this.#queue
  }

  async #wait(): Promise<void> {
    const deadline = performance.now() + this.#maxWaitMs
    let before = this.#read()
    do {
      await pause(this.#sampleMs)
      const now = this.#read()
      const idle = (now.idle - before.idle) / Math.max(1, now.all - before.all)
      if (idle >= limits.autostartIdleShare) return
      before = now
    } while (performance.now() < deadline)
  }
}
