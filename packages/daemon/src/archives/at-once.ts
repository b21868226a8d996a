/** Several pieces of work at a time. The first failure is told at the next chance, and ends it. */
export class AtOnce {
  readonly #most: number
  readonly #running = new Set<Promise<void>>()
  readonly #ending = new AbortController()
  #failure: { readonly error: unknown } | undefined

  constructor(most: number) {
    this.#most = most
  }

  /** For work that takes long: aborted when something failed, or nobody is there any more who wants it. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Begins the work, or waits until it can. */
  async add(act: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running)
    if (this.#failure) throw this.#failure.error
    const running: Promise<void> = act()
      .catch((error: unknown) => {
        this.#failure ??= { error }
        this.#ending.abort()
      })
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Resolves when nothing runs any more, and rejects if something failed. */
  async done(): Promise<void> {
    await Promise.all(this.#running)
    if (this.#failure) throw this.#failure.error
  }

  /** Waits for what runs, whatever becomes of it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#running)
  }
}
