import { isIPv6 } from 'node:net'
import { abortable } from '../../concurrency/timeout.ts'
import { PooledWorker } from '../../workers/pooled-worker.ts'
import type { GameAnswer, QueryTarget } from '../protocols/protocol.ts'
import type { GamedigRequest, GamedigResponse } from './gamedig-worker.ts'

interface Pending {
  readonly resolve: (answer: GameAnswer) => void
  readonly reject: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

interface Options {
  readonly program?: URL
  /** How long after the timeout of a query the thread is stuck. On a busy machine it takes seconds to load. */
  readonly stuckMs?: number
}

/** Loaded, the library takes 50 MiB. */
const heap = { maxOldGenerationSizeMb: 128 }

/**
 * Asks games with the library gamedig in a thread of its own, which runs only while there are such games: the library parses
 * what games send, and only a thread can be terminated when it does not end.
 */
export class GamedigThread {
  readonly #options: Required<Options>
  readonly #pending = new Map<number, Pending>()
  #thread: PooledWorker<GamedigRequest, GamedigResponse> | undefined
  #lastId = 0

  constructor({ program = gamedigWorker, stuckMs = 15_000 }: Options = {}) {
    this.#options = { program, stuckMs }
  }

  async read(game: string, { host, port, signal }: QueryTarget, timeoutMs: number): Promise<GameAnswer> {
    if (isIPv6(host)) throw new Error('gamedig cannot ask games at addresses of IPv6')
    const thread = this.#thread ?? this.#start()
    this.#thread = thread
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<GameAnswer>()
    const end = () => thread.terminate(new Error('gamedig does not answer'))
    const timer = setTimeout(end, timeoutMs + this.#options.stuckMs).unref()
    this.#pending.set(id, { resolve, reject, timer })
    thread.post({ id, game, host, port, timeoutMs })
    return await abortable(promise, signal)
  }

  close(): void {
    this.#thread?.terminate(new Error('gamedig was ended'))
  }

  #start(): PooledWorker<GamedigRequest, GamedigResponse> {
    const listener = {
      onMessage: (response: GamedigResponse) => this.#receive(response),
      onEnd: (error: unknown) => this.#end(error),
    }
    return new PooledWorker(this.#options.program, listener, { heap })
  }

  #receive(response: GamedigResponse): void {
    const pending = this.#pending.get(response.id)
    this.#pending.delete(response.id)
    clearTimeout(pending?.timer)
    if ('answer' in response) pending?.resolve(response.answer)
    else pending?.reject(new Error(response.problem))
    if (this.#pending.size === 0) this.#thread?.idle()
  }

  #end(error: unknown): void {
    this.#thread = undefined
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer)
      reject(error)
    }
    this.#pending.clear()
  }
}

const gamedigWorker = new URL('./gamedig-worker.ts', import.meta.url)
