import type { Rate } from '@innkeeper/contract/token-bucket'

const mebi = 1024 * 1024
/** Bytes of console output to all viewers of one user, and to all viewers. */
const ratePerUser: Rate = { burst: 8 * mebi, perSecond: 8 * mebi }
const rateInAll: Rate = { burst: 64 * mebi, perSecond: 32 * mebi }
/** The shortest wait for more, so that a busy console is sent in few turns. */
const minWaitMs = 50

interface Options {
  readonly perUser?: Rate
  readonly inAll?: Rate
}

/** The share of one viewer in the output of its user. */
export interface OutputShare {
  /** Whether output may be sent now. If not, `onReady` is called once it may be. */
  isReady(onReady: () => void): boolean
  /** Counts bytes that were sent. */
  spend(bytes: number): void
  /** The viewer is gone. */
  close(): void
}

/**
 * Limits the console output of a node to the viewers of each user and to all together: otherwise it costs the output of
 * a server times its viewers, and delays everything else. Viewers that must wait take turns. What leaves the ring buffer
 * of a console meanwhile is skipped, as for a viewer that reads slowly.
 */
export class OutputRates {
  readonly #perUser: Rate
  readonly #all: OutputBucket
  readonly #users = new Map<number | undefined, { readonly bucket: OutputBucket; viewers: number }>()

  constructor({ perUser = ratePerUser, inAll = rateInAll }: Options = {}) {
    this.#perUser = perUser
    this.#all = new OutputBucket(inAll)
  }

  /** Adds a viewer of a user. */
  join(user: number | undefined): OutputShare {
    const known = this.#users.get(user) ?? { bucket: new OutputBucket(this.#perUser), viewers: 0 }
    known.viewers++
    this.#users.set(user, known)
    const buckets = [known.bucket, this.#all]
    return {
      isReady: (onReady) => buckets.every((bucket) => bucket.isReady(onReady)),
      spend: (bytes) => {
        for (const bucket of buckets) bucket.spend(bytes)
      },
      close: () => {
        known.viewers--
        if (known.viewers === 0) this.#users.delete(user)
      },
    }
  }
}

/** A token bucket that may go below zero, because the size of a message is only known when it is read. */
class OutputBucket {
  readonly #rate: Rate
  readonly #waiting = new Set<() => void>()
  #tokens: number
  #at = performance.now()
  #timer: NodeJS.Timeout | undefined
  #isWaking = false

  constructor(rate: Rate) {
    this.#rate = rate
    this.#tokens = rate.burst
  }

  isReady(onReady: () => void): boolean {
    const isFirst = this.#waiting.size === 0 || this.#isWaking
    if (isFirst && this.#refill() > 0) return true
    this.#waiting.add(onReady)
    this.#schedule()
    return false
  }

  spend(bytes: number): void {
    this.#tokens -= bytes
  }

  #schedule(): void {
    const waitMs = Math.max(minWaitMs, (-this.#tokens / this.#rate.perSecond) * 1_000)
    this.#timer ??= setTimeout(() => this.#wake(), waitMs)
  }

  /** In turn: one that needs more waits behind the others. */
  #wake(): void {
    this.#timer = undefined
    for (const onReady of this.#waiting) {
      if (this.#refill() <= 0) break
      this.#waiting.delete(onReady)
      this.#isWaking = true
      try {
        onReady()
      } finally {
        this.#isWaking = false
      }
    }
    if (this.#waiting.size > 0) this.#schedule()
  }

  #refill(): number {
    const { burst, perSecond } = this.#rate
    const now = performance.now()
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1_000) * perSecond)
    this.#at = now
    return this.#tokens
  }
}
