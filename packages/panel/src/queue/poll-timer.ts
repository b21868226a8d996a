/** A row is visible only after its transaction; a poll that was asked for begins with this delay. */
const wakeDelayMs = 100

interface Options {
  readonly everyMs: number
  /** Must not reject. */
  readonly poll: () => Promise<void>
}

/** Polls a queue at an interval, and soon after `wake`; one poll at a time. */
export class PollTimer {
  readonly #options: Options
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isClosed = false
  #isWanted = false
  #isSoon = false

  constructor(options: Options) {
    this.#options = options
  }

  start(): void {
    this.#schedule(this.#options.everyMs)
  }

  /** Polls soon, because a row was queued. */
  wake(): void {
    if (this.#running) this.#isWanted = true
    else if (this.#timer && !this.#isSoon) {
      // Further calls do not postpone it.
      this.#isSoon = true
      this.#schedule(wakeDelayMs)
    }
  }

  /** Resolves when the running poll has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#running
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#begin(), ms)
    this.#timer.unref()
  }

  #begin(): void {
    this.#isWanted = false
    this.#isSoon = false
    this.#running = this.#options.poll().finally(() => {
      this.#running = undefined
      this.#schedule(this.#isWanted ? wakeDelayMs : this.#options.everyMs)
    })
  }
}
