/** So long sessions are in company after they took turns. */
const togetherMs = 20

/**
 * Whether sessions are served in turn at the moment. One alone is quickest when nothing of its work changes threads;
 * several together are, when the threads take what they can.
 */
export class Company {
  #last: object | undefined
  #turnedAt = Number.NEGATIVE_INFINITY

  /** A session has something to do. */
  meet(session: object, now: number): void {
    if (this.#last === session) return
    if (this.#last) this.#turnedAt = now
    this.#last = session
  }

  /** A session is over. */
  part(session: object): void {
    if (this.#last === session) this.#last = undefined
  }

  get isThere(): boolean {
    return performance.now() - this.#turnedAt < togetherMs
  }
}
