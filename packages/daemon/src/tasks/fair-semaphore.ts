import { limits } from '@innkeeper/contract/limits'

interface Waiter {
  readonly server: string
  readonly resolve: () => void
}

/** Limits concurrent runs on the node and per server; waiters are served in order. */
export class FairSemaphore {
  readonly #atOnce: number
  readonly #perServer: number
  readonly #active = new Map<string, number>()
  readonly #waiting: Waiter[] = []
  #count = 0

  constructor(atOnce: number = limits.tasksAtOnce, perServer: number = limits.tasksAtOncePerServer) {
    this.#atOnce = atOnce
    this.#perServer = perServer
  }

  /** Waits for a slot, which is released on disposal. Rejects with the signal's reason. */
  async acquire(server: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiter = { server, resolve }
    const giveUp = () => {
      const at = this.#waiting.indexOf(waiting)
      if (at === -1) return
      this.#waiting.splice(at, 1)
      reject(signal.reason)
    }
    this.#waiting.push(waiting)
    signal.addEventListener('abort', giveUp, { once: true })
    this.#next()
    await promise
    signal.removeEventListener('abort', giveUp)
    return {
      [Symbol.dispose]: () => {
        this.#count--
        this.#active.set(server, (this.#active.get(server) ?? 1) - 1)
        if (this.#active.get(server) === 0) this.#active.delete(server)
        this.#next()
      },
    }
  }

  #next(): void {
    while (this.#count < this.#atOnce) {
      const at = this.#waiting.findIndex(({ server }) => (this.#active.get(server) ?? 0) < this.#perServer)
      if (at === -1) return
      const [next] = this.#waiting.splice(at, 1)
      if (!next) return
      this.#count++
      this.#active.set(next.server, (this.#active.get(next.server) ?? 0) + 1)
      next.resolve()
    }
  }
}
