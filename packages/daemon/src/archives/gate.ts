/** Lets a few at a time do something, the others in the order in which they came. */
export class Gate {
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** Rejects with the signal's reason when it is aborted before it is its turn. */
  async pass<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--
    else await this.#wait(signal)
    try {
      return await act()
    } finally {
      const [next] = this.#waiting
      if (next) next()
      else this.#free++
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const begin = () => {
      this.#waiting.delete(begin)
      resolve()
    }
    const giveUp = () => {
      this.#waiting.delete(begin)
      reject(signal?.reason)
    }
    this.#waiting.add(begin)
    signal?.addEventListener('abort', giveUp)
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }
}
