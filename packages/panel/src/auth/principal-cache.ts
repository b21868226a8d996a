import { limits } from '@innkeeper/contract/limits'
import type { Principal } from '../access/principal.ts'

const maxEntries = 10_000

/**
 * Callers that were read a moment ago, by the hash of their token. Nothing is believed for longer than
 * `limits.sessionCacheMs`, so that what was revoked on another panel ends in time.
 */
export class PrincipalCache {
  readonly #entries = new Map<string, { readonly principal: Principal; readonly readAt: number }>()
  readonly #now: () => number
  /** Counts what was forgotten: a caller who was read before that is not remembered after it. */
  #invalidations = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** The caller by the hash of their token, read anew when what we know is too old. */
  async get(id: string, read: () => Promise<Principal | undefined>): Promise<Principal | undefined> {
    const [at, forgotten] = [this.#now(), this.#invalidations]
    const held = this.#entries.get(id)
    if (held && at - held.readAt < limits.sessionCacheMs && at >= held.readAt) return held.principal
    const principal = await read()
    this.#entries.delete(id)
    if (principal && forgotten === this.#invalidations) this.#entries.set(id, { principal, readAt: at })
    if (this.#entries.size > maxEntries) this.#entries.delete(this.#entries.keys().next().value ?? '')
    return principal
  }

  /** Forgets those of a person, whose name, rights or credentials changed. */
  invalidate(userId: number): void {
    this.#invalidations++
    for (const [id, { principal }] of this.#entries) if (principal.userId === userId) this.#entries.delete(id)
  }
}
