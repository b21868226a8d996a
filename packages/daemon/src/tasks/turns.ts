import { limits } from '@innkeeper/contract/limits'

interface Waiting {
  readonly server: string
  readonly go: () => void
}

/** So many runs at once on the node, and of one server; the others wait in the order in which they came. */
export class RunTurns {
  readonly #atOnce: number
  readonly #perServer: number
  readonly #atWork = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  #count = 0

  constructor(atOnce: number = limits.tasksAtOnce, perServer: number = limits.tasksAtOncePerServer) {
    this.#atOnce = atOnce
    this.#perServer = perServer
  }

  /** Waits for a turn, which ends when it is disposed of; rejects with the reason of the signal. */
  async take(server: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { server, go: resolve }
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
        this.#atWork.set(server, (this.#atWork.get(server) ?? 1) - 1)
        if (this.#atWork.get(server) === 0) this.#atWork.delete(server)
        this.#next()
      },
    }
  }

  #next(): void {
    while (this.#count < this.#atOnce) {
      const at = this.#waiting.findIndex(({ server }) => (this.#atWork.get(server) ?? 0) < this.#perServer)
      if (at === -1) return
      const [next] = this.#waiting.splice(at, 1)
      if (!next) return
      this.#count++
      this.#atWork.set(next.server, (this.#atWork.get(next.server) ?? 0) + 1)
      next.go()
    }
  }
}
