const windowMs = 1_000

/** Limits answers to packets whose sender may be forged, so that they are no use for attacks on others. */
export class AnswerLimiter {
  readonly #perAddress: number
  readonly #total: number
  readonly #counts = new Map<string, number>()
  #sum = 0
  #startedAt = Number.NEGATIVE_INFINITY

  /** Numbers of answers in a second. */
  constructor({ perAddress = 10, total = 200 }: { readonly perAddress?: number; readonly total?: number } = {}) {
    this.#perAddress = perAddress
    this.#total = total
  }

  /** Whether one more answer may be sent to this address; counts it. */
  isAllowed(address: string, now = performance.now()): boolean {
    if (now - this.#startedAt >= windowMs) {
      this.#startedAt = now
      this.#sum = 0
      this.#counts.clear()
    }
    const count = this.#counts.get(address) ?? 0
    if (count >= this.#perAddress || this.#sum >= this.#total) return false
    this.#counts.set(address, count + 1)
    this.#sum++
    return true
  }
}
