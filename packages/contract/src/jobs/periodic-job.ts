/** Delay of a run after `wake`, which may be called in a transaction: its rows are visible only when it has ended. */
const wakeDelayMs = 100

interface Options {
  /** Time from the end of a run to the next one. */
  readonly everyMs: number
  /** Its signal aborts when the job is closed. */
  readonly run: (signal: AbortSignal) => Promise<void>
  /** Called with the error of a run that failed before the job was closed; the next one is not affected. */
  readonly onError: (error: unknown) => void
}

/** Background work of panels and nodes: runs at an interval, soon after `wake`, and never twice at the same time. */
export class PeriodicJob {
  readonly #options: Options
  readonly #closing = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  /** `wake` was called during the current run. */
  #isWanted = false
  /** The timer has been set by `wake`. */
  #isSoon = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Schedules the first run. The job does not keep the process running. */
  start(): this {
    this.#schedule(this.#options.everyMs)
    return this
  }

  /** Runs soon, or once more if it is running. Does nothing before `start`. */
  wake(): void {
    if (this.#running) this.#isWanted = true
    else if (this.#timer && !this.#isSoon) {
      // Further calls do not postpone it.
      this.#isSoon = true
      this.#schedule(wakeDelayMs)
    }
  }

  /** Runs now, or joins the current run. Never rejects. */
  run(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve()
    this.#running ??= this.#runOnce()
    return this.#running
  }

  /** Aborts the signal of the current run and resolves when it has ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#running
  }

  #schedule(ms: number): void {
    if (this.#closing.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.run(), ms)
    this.#timer.unref()
  }

  async #runOnce(): Promise<void> {
    const isScheduled = this.#timer !== undefined
    clearTimeout(this.#timer)
    this.#isWanted = false
    this.#isSoon = false
    try {
      await this.#options.run(this.#closing.signal)
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#options.onError(error)
    } finally {
      this.#running = undefined
      if (isScheduled) this.#schedule(this.#isWanted ? wakeDelayMs : this.#options.everyMs)
    }
  }
}
