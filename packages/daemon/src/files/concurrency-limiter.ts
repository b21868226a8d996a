/** Works on some things at a time; the first failure ends it. */
export class ConcurrencyLimiter implements AsyncDisposable {
  readonly #size: number
  readonly #working = new Set<Promise<void>>()
  readonly #ending = new AbortController()
  #failure: { readonly cause: unknown } | undefined

  constructor(size: number) {
    this.#size = size
  }

  /** For work that takes long: aborted when something failed, or nobody is there any more who wants it. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Takes over work that has begun; resolves when there is room for more. */
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

  /** Waits until all is done, also when some of it failed. */
  async end(): Promise<void> {
    await Promise.all(this.#working)
    if (this.#failure) throw this.#failure.cause
  }

  /** Waits for what is being done, whatever becomes of it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#working)
  }
}
