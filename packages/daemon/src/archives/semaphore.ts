/** A semaphore: limits concurrency, first come first served. */
export class Semaphore {
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** Rejects with the signal's reason when it aborts before the turn. */
  async run<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = this.tryAcquire() ?? (await this.#acquire(signal))
    try {
      return await act()
    } finally {
      release()
    }
  }

  /** Acquires without waiting. The caller must call the returned function once. Returns undefined at the limit. */
  tryAcquire(): (() => void) | undefined {
    if (this.#free === 0) return undefined
    this.#free--
    return () => this.#release()
  }

  #release(): void {
    const [next] = this.#waiting
    if (next) next()
    else this.#free++
  }

  async #acquire(signal: AbortSignal | undefined): Promise<() => void> {
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
      return () => this.#release()
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }
}
