import type { Clock } from '../tasks/scheduler.ts'

/** A clock controlled by a test. Timers use elapsed time, `now` the displayed time. */
export class FakeClock implements Clock {
  #shown: number
  #passed = 0
  #timer: { readonly act: () => void; readonly at: number } | undefined
  /** Number of wake-ups. */
  wakes = 0

  constructor(time: string) {
    this.#shown = Date.parse(time)
  }

  now(): number {
    return this.#shown
  }

  setTimer(act: () => void, inMs: number): () => void {
    const timer = { act, at: this.#passed + inMs }
    this.#timer = timer
    return () => {
      if (this.#timer === timer) this.#timer = undefined
    }
  }

  /** Advances time until the clock shows another time. */
  passTo(time: string): void {
    this.pass(Date.parse(time) - this.#shown)
  }

  pass(ms: number): void {
    const end = this.#passed + ms
    for (let timer = this.#timer; timer && timer.at <= end; timer = this.#timer) {
      this.#move(timer.at - this.#passed)
      this.#timer = undefined
      this.wakes++
      timer.act()
    }
    this.#move(end - this.#passed)
  }

  /** Sets the clock; no time passes. */
  jump(ms: number): void {
    this.#shown += ms
  }

  #move(ms: number): void {
    this.#passed += ms
    this.#shown += ms
  }
}
