import { limits } from './limits.ts'

/** Replay cache for signed tokens: remembers each ID for at least its lifetime, in two generations. */
export class UsedTokens {
  #recent = new Set<string>()
  #older = new Set<string>()
  #turned = performance.now()

  /** Adds an ID; returns false when it was added before. */
  take(jti: string): boolean {
    const life = limits.ticketLifeMs + 2 * limits.clockSkewMs
    if (performance.now() - this.#turned > life) {
      this.#older = this.#recent
      this.#recent = new Set()
      this.#turned = performance.now()
    }
    if (this.#recent.has(jti) || this.#older.has(jti)) return false
    this.#recent.add(jti)
    return true
  }
}
