/** Works on some things at a time; the first failure ends it. */
export class Crew {
  readonly #size: number
  readonly #working = new Set<Promise<void>>()
  #failure: { readonly cause: unknown } | undefined

  constructor(size: number) {
    this.#size = size
  }

  /** Takes over work that has begun; resolves when there is room for more. */
  async take(work: Promise<void>): Promise<void> {
    const attended = work
      .catch((cause: unknown) => {
        this.#failure ??= { cause }
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
}
