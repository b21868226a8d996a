import type { Logger } from 'pino'
import { isRefusal } from '../../errors/refusals.ts'
import type { Registry } from '../../servers/registry.ts'

export interface CopyRetryOptions {
  /** Time until the first retry. Each further one waits twice as long. */
  readonly firstMs: number
  /** The longest wait. */
  readonly maxMs: number
  /** Interval between looks for copies that are due. */
  readonly checkMs: number
}

export const defaultCopyRetries: CopyRetryOptions = {
  firstMs: 60_000,
  maxMs: 6 * 60 * 60 * 1000,
  checkMs: 15_000,
}

interface Deps {
  readonly options: CopyRetryOptions
  readonly servers: Pick<Registry, 'servers'>
  /** The targets on which copies of backups of a server are missing that could be made. */
  readonly missingOn: (server: string) => Promise<readonly string[]>
  readonly isBusy: () => boolean
  /** Resolves when the missing copies are made. */
  readonly copy: (server: string, target: string) => Promise<void>
  readonly log: Logger
}

interface Attempt {
  readonly failures: number
  readonly nextAt: number
}

/**
 * Makes missing copies of backups: at the start of the daemon, then with growing waits, until they exist or are not
 * wanted any more.
 */
export class CopyRetries {
  readonly #deps: Deps
  /** By server and target. Without an attempt a copy is due. */
  readonly #attempts = new Map<string, Attempt>()
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> | undefined
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Missing copies are due at once. */
  start(): void {
    this.#timer = setInterval(() => this.#check(), this.#deps.options.checkMs).unref()
    this.#check()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#checking
  }

  /** When missing copies are tried again, in milliseconds since 1970. */
  nextTryAt(server: string, target: string): number {
    return this.#attempts.get(keyOf(server, target))?.nextAt ?? Date.now()
  }

  /** Missing copies on a target are due: it was changed, or responds again. */
  retryNow(target: string): void {
    for (const key of [...this.#attempts.keys()]) if (key.endsWith(` ${target}`)) this.#attempts.delete(key)
    this.#check()
  }

  /** Sets how an attempt ended. Others are not affected. */
  ended(server: string, target: string, error: unknown): void {
    const key = keyOf(server, target)
    if (error === undefined) {
      this.#attempts.delete(key)
      return
    }
    const { firstMs, maxMs } = this.#deps.options
    const before = this.#attempts.get(key)?.failures ?? 0
    // Another job came first, or a user canceled it: this says nothing about the target.
    const isCanceled = isRefusal(error, 'ErrCancelled')
    const failures = isCanceled ? before : before + 1
    const wait = isCanceled ? firstMs : Math.min(maxMs, firstMs * 2 ** (failures - 1))
    this.#attempts.set(key, { failures, nextAt: Date.now() + wait })
  }

  #check(): void {
    this.#checking ??= this.#copyAll()
      .catch((err: unknown) => this.#deps.log.error({ err }, 'failed to make missing copies of backups'))
      .finally(() => {
        this.#checking = undefined
      })
  }

  async #copyAll(): Promise<void> {
    const { servers, missingOn, isBusy, copy } = this.#deps
    const missing = new Set<string>()
    for (const { id: server } of servers.servers) {
      for (const target of await missingOn(server)) {
        missing.add(keyOf(server, target))
        if (this.nextTryAt(server, target) > Date.now()) continue
        if (this.#isClosed || isBusy()) return
        // Its end is recorded, and the state of the copies says why it failed.
        await copy(server, target).catch(() => {})
      }
    }
    for (const key of this.#attempts.keys()) if (!missing.has(key)) this.#attempts.delete(key)
  }
}

const keyOf = (server: string, target: string): string => `${server} ${target}`
