/** What is known of a server at one moment. */
export interface SleepFacts {
  readonly isOnline: boolean
  /** People who play; undefined when that is not known. */
  readonly players: number | undefined
  /** Whether somebody watches it, or a file, backup, task or countdown needs it. */
  readonly isUsed: boolean
  /** When it was last needed, by the clock of `now`. */
  readonly usedAt: number
}

/** Decides when a server falls asleep: after nobody has played and used it for a time without a gap. */
export class SleepRule {
  #idleSince: number | undefined

  /** Since when nobody plays and uses it. */
  get idleSince(): number | undefined {
    return this.#idleSince
  }

  /** Takes the facts of now. Returns whether the server has been idle for `afterMs`. */
  advance({ isOnline, players, isUsed, usedAt }: SleepFacts, now: number, afterMs: number): boolean {
    // Unknown is not zero.
    if (!isOnline || players !== 0 || isUsed) this.#idleSince = undefined
    else this.#idleSince = Math.max(this.#idleSince ?? now, Math.min(usedAt, now))
    return this.#idleSince !== undefined && now - this.#idleSince >= afterMs
  }

  /** Begins anew. */
  reset(): void {
    this.#idleSince = undefined
  }
}
