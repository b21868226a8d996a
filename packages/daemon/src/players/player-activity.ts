import type { PlayerFacts } from '@innkeeper/contract/definitions/conditions'
import type { PlayerCounts } from '@innkeeper/contract/servers/players'

/** A game may miss this many answers in a row, less one, without interrupting the time for which nobody has played. */
const missedAnswersMax = 3

/** Who plays on a server, as its game answers, and since when nobody does. */
export class PlayerActivity {
  readonly #now: () => number
  readonly #listeners = new Set<() => void>()
  #counts: PlayerCounts | undefined
  #quietSince: number | undefined
  #missedAnswers = 0

  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    this.#now = now
  }

  /** The latest answer; undefined while the game does not answer. */
  get counts(): PlayerCounts | undefined {
    return this.#counts
  }

  get facts(): PlayerFacts {
    if (!this.#counts) return { players: undefined, quietMinutes: undefined }
    const quietMs = this.#quietSince === undefined ? 0 : this.#now() - this.#quietSince
    return { players: this.#counts.online, quietMinutes: Math.floor(quietMs / 60_000) }
  }

  /** Sets the answer of the game; undefined when it did not answer. */
  set(counts: PlayerCounts | undefined): void {
    this.#counts = counts
    this.#missedAnswers = counts ? 0 : this.#missedAnswers + 1
    if (counts?.online === 0) this.#quietSince ??= this.#now()
    else if (counts || this.#missedAnswers >= missedAnswersMax) this.#quietSince = undefined
    for (const listener of this.#listeners) listener()
  }

  /** Forgets everything: the server is not online any more. */
  clear(): void {
    this.#counts = undefined
    this.#quietSince = undefined
    this.#missedAnswers = 0
  }

  /** Calls the listener after each query. Returns the unsubscribe function. */
  onAnswer(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
