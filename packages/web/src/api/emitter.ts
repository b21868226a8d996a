/** Listeners of one typed event. */
export class Emitter<T = void> {
  readonly #listeners = new Set<(event: T) => void>()

  /** Adds a listener. Returns a function that removes it. */
  readonly on = (listener: (event: T) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  emit(event: T): void {
    for (const listener of this.#listeners) listener(event)
  }
}
