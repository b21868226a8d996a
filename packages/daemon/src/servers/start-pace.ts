import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import { type ProcessorTime, processorTime } from '../proc/processor-time.ts'

interface Options {
  readonly read?: () => ProcessorTime
  readonly lookMs?: number
  readonly mostMs?: number
}

/**
 * The pace at which servers are started one after the other: the next one as soon as the machine has processor time to
 * spare. A machine that is always busy starts them all the same, each after a while.
 */
export class StartPace {
  readonly #read: () => ProcessorTime
  readonly #lookMs: number
  readonly #mostMs: number
  /** Who comes later looks at what those before them began. */
  #turn: Promise<void> = Promise.resolve()

  constructor({
    read = processorTime,
    lookMs = limits.autostartCheckMs,
    mostMs = limits.autostartMaxDelayMs,
  }: Options = {}) {
    this.#read = read
    this.#lookMs = lookMs
    this.#mostMs = mostMs
  }

  /** Resolves when the next one may start. */
  room(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#wait())
    return this.#turn
  }

  async #wait(): Promise<void> {
    const deadline = performance.now() + this.#mostMs
    let before = this.#read()
    do {
      await pause(this.#lookMs)
      const now = this.#read()
      const idle = (now.idle - before.idle) / Math.max(1, now.all - before.all)
      if (idle >= limits.autostartIdleShare) return
      before = now
    } while (performance.now() < deadline)
  }
}
