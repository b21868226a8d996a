/** When a server restarts after the countdown that runs. */
export class PendingRestart {
  readonly #listeners = new Set<() => void>()
  #at: Date | undefined

  get at(): Date | undefined {
    return this.#at
  }

  set(at: Date | undefined): void {
    this.#at = at
    for (const listener of this.#listeners) listener()
  }

  /** Calls the listener on every change. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
