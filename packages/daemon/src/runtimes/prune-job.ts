import type { Logger } from 'pino'
import { runningExecutables } from '../proc/running-executables.ts'
import type { SharedStore } from './shared-store.ts'

const pruneIntervalMs = 60 * 60 * 1000

interface Deps {
  readonly sharedStore: Pick<SharedStore, 'cache' | 'runtimes'>
  readonly log: Logger
  readonly everyMs?: number
}

/** Periodically prunes the download cache and the runtime store. */
export class PruneJob {
  readonly #deps: Deps
  readonly #timer: NodeJS.Timeout
  readonly #end = new AbortController()
  #work: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#timer = setInterval(() => {
      this.#work ??= this.#prune()
        .catch((err: unknown) => {
          const isAborted = this.#end.signal.aborted
          if (!isAborted) deps.log.error({ err }, 'failed to prune the download cache or the runtime store')
        })
        .finally(() => (this.#work = undefined))
    }, deps.everyMs ?? pruneIntervalMs).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#end.abort()
    await this.#work
  }

  async #prune(): Promise<void> {
    const { sharedStore, log } = this.#deps
    const { signal } = this.#end
    await sharedStore.cache.prune({ signal })
    const evicted = await sharedStore.runtimes.prune({ running: await runningExecutables(), signal })
    if (evicted.length > 0) log.info({ evicted }, 'removed unused runtimes')
  }
}
