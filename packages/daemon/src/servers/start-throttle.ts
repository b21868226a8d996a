import { setTimeout as pause } from 'node:timers/promises'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { type CpuTime, readCpuTime } from '../proc/cpu-time.ts'

/** The next server starts when this share of CPU time is idle. */
const minIdleShare = 0.2
const idleCheckIntervalMs = 100
/** Maximum delay of one autostart. */
export const maxAutostartDelayMs = 3_000

interface Options {
  readonly read?: () => CpuTime
  readonly sampleMs?: number
  readonly maxWaitMs?: number
}

/**
 * Throttles consecutive server starts: releases the next one as soon as the host has idle CPU time, at the latest after
 * `maxWaitMs`.
 */
export class StartThrottle {
  readonly #read: () => CpuTime
  readonly #sampleMs: number
  readonly #maxWaitMs: number

  constructor({ read = readCpuTime, sampleMs = idleCheckIntervalMs, maxWaitMs = maxAutostartDelayMs }: Options = {}) {
    this.#read = read
    this.#sampleMs = sampleMs
    this.#maxWaitMs = maxWaitMs
  }

  /** Resolves when the next server may start. */
  async acquire(): Promise<void> {
    // Later callers sample after earlier ones have started their server.
    await withLock([this], () => this.#wait())
  }

  async #wait(): Promise<void> {
    const deadline = performance.now() + this.#maxWaitMs
    let before = this.#read()
    do {
      await pause(this.#sampleMs)
      const now = this.#read()
      const idle = (now.idle - before.idle) / Math.max(1, now.all - before.all)
      if (idle >= minIdleShare) return
      before = now
    } while (performance.now() < deadline)
  }
}
