/** Several pieces of work at a time. The first failure is told at the next chance, and ends it. */
export class AtOnce {
  readonly #most: number
  readonly #running = new Set<Promise<void>>()
  #failure: { readonly error: unknown } | undefined

  constructor(most: number) {
    this.#most = most
  }

  /** Begins the work, or waits until it can. */
  async add(act: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running)
    if (this.#failure) throw this.#failure.error
    const running: Promise<void> = act()
      .catch((error: unknown) => {
        this.#failure ??= { error }
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
    await Promise.all(this.#running)
  }
}
