import { limits } from '../text/limits.ts'

/** Replay cache for signed tokens: remembers each ID for at least its lifetime, in two generations. */
export class ReplayCache {
  #recent = new Set<string>()
  #older = new Set<string>()
  #rotatedAt = performance.now()

  /** Adds an ID; returns false when it was added before. */
  add(jti: string): boolean {
    const life = limits.ticketLifeMs + 2 * limits.clockSkewMs
    if (performance.now() - this.#rotatedAt > life) {
      this.#older = this.#recent
      this.#recent = new Set()
      this.#rotatedAt = performance.now()
    }
    if (this.#recent.has(jti) || this.#older.has(jti)) return false
    this.#recent.add(jti)
    return true
  }
}
