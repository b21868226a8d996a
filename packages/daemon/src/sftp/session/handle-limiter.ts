/** How many files and directories clients may have open over SFTP. */
export interface HandleLimits {
  readonly total: number
  readonly perOwner: number
}

/** The open handles of one user, in all sessions. */
export interface HandleCount {
  /** The limit that is reached; undefined while there is room. */
  readonly reachedLimit: number | undefined
  add(): void
  remove(): void
}

/** Counts the open handles of all sessions, because each takes descriptors of the process. */
export class HandleLimiter {
  readonly #limits: HandleLimits
  readonly #byOwner = new Map<number, number>()
  #total = 0

  constructor(limits: HandleLimits) {
    this.#limits = limits
  }

  of(userId: number): HandleCount {
    const count = () => this.#byOwner.get(userId) ?? 0
    const reachedLimit = () => {
      const { total, perOwner } = this.#limits
      if (count() >= perOwner) return perOwner
      return this.#total >= total ? total : undefined
    }
    return {
      get reachedLimit() {
        return reachedLimit()
      },
      add: () => {
        this.#total++
        this.#byOwner.set(userId, count() + 1)
      },
      remove: () => {
        this.#total--
        if (count() > 1) this.#byOwner.set(userId, count() - 1)
        else this.#byOwner.delete(userId)
      },
    }
  }
}
