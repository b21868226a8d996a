import { isRefusal } from '../../errors/refusals.ts'

export interface RetryTimes {
  /** Time until the first retry. Each further one waits twice as long. */
  readonly firstMs: number
  /** The longest wait. */
  readonly maxMs: number
}

const defaultTimes: RetryTimes = { firstMs: 60_000, maxMs: 6 * 60 * 60 * 1000 }

interface Attempt {
  readonly failures: number
  readonly nextAt: number
}

/** A server and a target on which copies of its backups are missing. */
export interface MissingCopies {
  readonly server: string
  readonly target: string
}

/** When missing copies are tried again that could not be made, with growing waits. */
export class CopyRetries {
  readonly #times: RetryTimes
  /** By server and target. Without an attempt copies are due. */
  readonly #attempts = new Map<string, Attempt>()

  constructor(times: RetryTimes = defaultTimes) {
    this.#times = times
  }

  /** In milliseconds since 1970; 0: at once. */
  nextAt(copies: MissingCopies): number {
    return this.#attempts.get(getKey(copies))?.nextAt ?? 0
  }

  /** Missing copies on a target are due: it was changed, or responds again. */
  retryNow(target: string): void {
    for (const key of [...this.#attempts.keys()]) if (key.endsWith(` ${target}`)) this.#attempts.delete(key)
  }

  /** Forgets attempts for copies that are not missing any more. */
  keep(missing: readonly MissingCopies[]): void {
    const keys = new Set(missing.map(getKey))
    for (const key of [...this.#attempts.keys()]) if (!keys.has(key)) this.#attempts.delete(key)
  }

  /** Sets how an attempt ended. Others are not affected. */
  ended(copies: MissingCopies, error: unknown): void {
    const key = getKey(copies)
    if (error === undefined) {
      this.#attempts.delete(key)
      return
    }
    const { firstMs, maxMs } = this.#times
    const before = this.#attempts.get(key)?.failures ?? 0
    // Another job came first, or a user canceled it: this says nothing about the target.
    const isCanceled = isRefusal(error, 'ErrCancelled')
    const failures = isCanceled ? before : before + 1
    const wait = isCanceled ? firstMs : Math.min(maxMs, firstMs * 2 ** (failures - 1))
    this.#attempts.set(key, { failures, nextAt: Date.now() + wait })
  }
}

const getKey = ({ server, target }: MissingCopies): string => `${server} ${target}`
