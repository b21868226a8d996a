/** A rate limit: `burst` at once, refilled with `perSecond`. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** Token bucket. */
export class TokenBucket {
  readonly #rate: Rate
  readonly #now: () => number
  #tokens: number
  #at: number

  /** `now` is monotonic, in milliseconds. */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate
    this.#now = now
    this.#tokens = rate.burst
    this.#at = now()
  }

  /** Takes a token; `false` when there is none. */
  take(): boolean {
    this.#refill()
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** Whether the bucket is full, and so equal to a new one. */
  get isFull(): boolean {
    this.#refill()
    return this.#tokens >= this.#rate.burst
  }

  #refill(): void {
    const { burst, perSecond } = this.#rate
    const now = this.#now()
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1_000) * perSecond)
    this.#at = now
  }
}
