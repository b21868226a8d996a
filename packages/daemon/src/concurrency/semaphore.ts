interface AcquireOptions {
  /** What the limit per key applies to, for example a server. */
  readonly key?: string
  /** Rejects with its reason when it aborts before there is a free slot. */
  readonly signal?: AbortSignal
}

interface Waiter {
  readonly key: string
  readonly resolve: () => void
}

interface Limits {
  /** Per key, for example a server. Default: as many as in total. */
  readonly perKey?: number
  /**
   * How long a slot counts for all. Then it counts only for its key, so that long work of one server holds up no others:
   * for work that costs little while it takes long. Default: until it is released.
   */
  readonly sharedMs?: number
}

/** Limits concurrency, in total and per key. First come, first served, except for waiters whose key is at its limit. */
export class Semaphore {
  readonly #max: number
  readonly #maxPerKey: number
  readonly #sharedMs: number | undefined
  readonly #activeByKey = new Map<string, number>()
  readonly #waiting: Waiter[] = []
  #active = 0

  constructor(max: number, { perKey = max, sharedMs }: Limits = {}) {
    this.#max = max
    this.#maxPerKey = perKey
    this.#sharedMs = sharedMs
  }

  /** Waits for a slot, then runs `act`. */
  async run<T>(act: () => Promise<T>, options?: AcquireOptions): Promise<T> {
    using _ = await this.acquire(options)
    return await act()
  }

  /** Waits for a slot, which the caller releases by disposal, once. */
  async acquire({ key = '', signal }: AcquireOptions = {}): Promise<Disposable> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { key, resolve }
    const onAbort = () => {
      const at = this.#waiting.indexOf(waiter)
      if (at === -1) return
      this.#waiting.splice(at, 1)
      reject(signal?.reason)
    }
    this.#waiting.push(waiter)
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#admit()
    await promise.finally(() => signal?.removeEventListener('abort', onAbort))
    return this.#slot(key)
  }

  /** Acquires without waiting. Returns undefined at the limit. */
  tryAcquire(key = ''): Disposable | undefined {
    if (!this.#isFree(key)) return undefined
    this.#countActive(key)
    return this.#slot(key)
  }

  #slot(key: string): Disposable {
    let isShared = true
    const endSharing = () => {
      if (isShared) this.#active--
      isShared = false
    }
    const onLong = () => {
      endSharing()
      this.#admit()
    }
    const timer = this.#sharedMs === undefined ? undefined : setTimeout(onLong, this.#sharedMs).unref()
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer)
        endSharing()
        const rest = (this.#activeByKey.get(key) ?? 1) - 1
        if (rest > 0) this.#activeByKey.set(key, rest)
        else this.#activeByKey.delete(key)
        this.#admit()
      },
    }
  }

  #admit(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ key }) => this.#isFree(key))
      const [next] = at === -1 ? [] : this.#waiting.splice(at, 1)
      if (!next) return
      this.#countActive(next.key)
      next.resolve()
    }
  }

  #isFree(key: string): boolean {
    return this.#active < this.#max && (this.#activeByKey.get(key) ?? 0) < this.#maxPerKey
  }

  #countActive(key: string): void {
    this.#active++
    this.#activeByKey.set(key, (this.#activeByKey.get(key) ?? 0) + 1)
  }
}
