import type { Rate } from '../jobs/token-bucket.ts'
import { limits } from '../text/limits.ts'

const mebi = 1024 * 1024
/** Bytes of console output to all viewers of one user, and to all viewers. */
const ratePerUser: Rate = { burst: 8 * mebi, perSecond: 4 * mebi }
const rateInAll: Rate = { burst: 8 * mebi, perSecond: 16 * mebi }
/** Unsent output of all viewers. */
const maxBacklogBytes = 64 * mebi
/** A viewer that must wait longer for what it has not read skips most of it. */
const maxDelayMs = 2_000
/** Interval of refills. */
const refillEveryMs = 50

interface Options {
  readonly perUser?: Rate
  readonly inAll?: Rate
}

/** The share of one viewer in the output of its user. It counts as a reader of output until it is paused. */
export interface OutputShare {
  /** Unsent bytes with which the viewer counts as slow. */
  readonly backlogBytes: number
  /** Unread output that the viewer does not skip. */
  readonly unreadBytes: number
  /** Whether output may be sent now. If not, `onReady` is called once it may be. */
  isReady(onReady: () => void): boolean
  /** Counts bytes that were sent. */
  spend(bytes: number): void
  /** Whether the viewer gets its output from elsewhere. */
  setPaused(isPaused: boolean): void
  /** The viewer is gone. */
  close(): void
}

/**
 * Limits the console output of a node or panel to the viewers of each user and to all together: otherwise it costs the
 * output of a server times its viewers, and delays everything else. Viewers that must wait take turns. What they cannot
 * get within two seconds is skipped, as for a viewer that reads slowly.
 */
export class OutputRates {
  readonly #perUser: Rate
  readonly #inAll: Rate
  readonly #all: OutputBucket
  readonly #users = new Map<unknown, { readonly bucket: OutputBucket; viewers: number; readers: number }>()
  #viewers = 0
  #readers = 0

  constructor({ perUser = ratePerUser, inAll = rateInAll }: Options = {}) {
    this.#perUser = perUser
    this.#inAll = inAll
    this.#all = new OutputBucket(inAll)
  }

  /** Adds a viewer of a user, by any key. */
  join(user: unknown): OutputShare {
    const known = this.#users.get(user) ?? { bucket: new OutputBucket(this.#perUser), viewers: 0, readers: 0 }
    known.viewers++
    this.#viewers++
    this.#users.set(user, known)
    const buckets = [known.bucket, this.#all]
    const backlogBytes = () => Math.min(limits.viewerBacklogBytes, maxBacklogBytes / this.#viewers)
    const unreadBytes = () =>
      Math.min(this.#perUser.perSecond / known.readers, this.#inAll.perSecond / this.#readers) * (maxDelayMs / 1_000)
    let isReader = false
    const setReader = (reads: boolean) => {
      if (reads === isReader) return
      isReader = reads
      known.readers += reads ? 1 : -1
      this.#readers += reads ? 1 : -1
    }
    setReader(true)
    return {
      get backlogBytes() {
        return backlogBytes()
      },
      get unreadBytes() {
        return unreadBytes()
      },
      isReady: (onReady) => buckets.every((bucket) => bucket.isReady(onReady)),
      spend: (bytes) => {
        for (const bucket of buckets) bucket.spend(bytes)
      },
      setPaused: (isPaused) => setReader(!isPaused),
      close: () => {
        setReader(false)
        known.viewers--
        this.#viewers--
        if (known.viewers === 0) this.#users.delete(user)
      },
    }
  }
}

/**
 * A token bucket that may go below zero, because the size of a message is only known when it is read. It is refilled by
 * a timer and not by the clock: sending is a task of its own that ends, however slow the machine is.
 */
class OutputBucket {
  readonly #rate: Rate
  readonly #waiting = new Set<() => void>()
  #tokens: number
  #scheduledAt = 0
  #timer: NodeJS.Timeout | undefined
  #isWaking = false

  constructor(rate: Rate) {
    this.#rate = rate
    this.#tokens = rate.burst
  }

  isReady(onReady: () => void): boolean {
    const isFirst = this.#waiting.size === 0 || this.#isWaking
    if (isFirst && this.#tokens > 0) return true
    this.#waiting.add(onReady)
    return false
  }

  spend(bytes: number): void {
    this.#tokens -= bytes
    this.#schedule()
  }

  #schedule(): void {
    if (this.#timer) return
    this.#scheduledAt = performance.now()
    this.#timer = setTimeout(() => this.#refill(), refillEveryMs)
  }

  /** A late timer shows that this process has much else to do: then there is less, not more. */
  #refill(): void {
    this.#timer = undefined
    const { burst, perSecond } = this.#rate
    const onTime = Math.min(1, refillEveryMs / (performance.now() - this.#scheduledAt))
    this.#tokens = Math.min(burst, this.#tokens + (perSecond * refillEveryMs * onTime) / 1_000)
    this.#wake()
    if (this.#tokens < burst || this.#waiting.size > 0) this.#schedule()
  }

  /** In turn: one that needs more waits behind the others. */
  #wake(): void {
    for (const onReady of this.#waiting) {
      if (this.#tokens <= 0) break
      this.#waiting.delete(onReady)
      this.#isWaking = true
      try {
        onReady()
      } finally {
        this.#isWaking = false
      }
    }
  }
}
