import { limits } from './limits.ts'

/** Remembers signed tokens as long as they could come again, in two generations. */
export class UsedTokens {
  #recent = new Set<string>()
  #older = new Set<string>()
  #turned = performance.now()

  /** False for one that came before. */
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
