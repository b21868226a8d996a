import type { Principal } from '../access/principal.ts'

/** A replica may accept a revoked session from its cache for this long. */
export const principalCacheMs = 1_000

const maxEntries = 10_000

/**
 * Caches principals by the hash of their token, for at most {@link principalCacheMs}, so that a session revoked on
 * another panel ends in time.
 */
export class PrincipalCache {
  readonly #entries = new Map<string, { readonly principal: Principal; readonly readAt: number }>()
  readonly #now: () => number
  /** Counts invalidations: a principal that was read before one is not cached after it. */
  #invalidations = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** The principal by the hash of its token, read again when the entry is too old. */
  async get(id: string, read: () => Promise<Principal | undefined>): Promise<Principal | undefined> {
    const [at, forgotten] = [this.#now(), this.#invalidations]
    const cached = this.#entries.get(id)
    if (cached && at - cached.readAt < principalCacheMs && at >= cached.readAt) return cached.principal
    const principal = await read()
    this.#entries.delete(id)
    if (principal && forgotten === this.#invalidations) this.#entries.set(id, { principal, readAt: at })
    if (this.#entries.size > maxEntries) this.#entries.delete(this.#entries.keys().next().value ?? '')
    return principal
  }

  /** Removes all entries of a user whose name, permissions or credentials changed. */
  invalidate(userId: number): void {
    this.#invalidations++
    for (const [id, { principal }] of this.#entries) if (principal.userId === userId) this.#entries.delete(id)
  }
}
