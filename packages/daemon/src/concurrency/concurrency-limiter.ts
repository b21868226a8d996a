/** Runs operations with limited concurrency; the first failure ends it. */
export class ConcurrencyLimiter implements AsyncDisposable {
  readonly #size: number
  readonly #working = new Set<Promise<void>>()
  readonly #ending = new AbortController()
  #failure: { readonly cause: unknown } | undefined

  constructor(size: number) {
    this.#size = size
  }

  /** Aborted when an operation has failed or the limiter is disposed. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Adds a running operation. Resolves when there is capacity for another one. */
  async add(work: Promise<void>): Promise<void> {
    const attended = work
      .catch((cause: unknown) => {
        this.#failure ??= { cause }
        this.#ending.abort()
      })
      .finally(() => this.#working.delete(attended))
    this.#working.add(attended)
    while (this.#working.size >= this.#size) await Promise.race(this.#working)
    if (this.#failure) throw this.#failure.cause
  }

  /** Waits until all are done, also when some have failed. */
  async end(): Promise<void> {
    await Promise.all(this.#working)
    if (this.#failure) throw this.#failure.cause
  }

  /** Waits for running operations, whatever their result. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#working)
  }
}
