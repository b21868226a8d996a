import { limits } from '@innkeeper/contract/limits'
import type { Caller } from '../access/caller.ts'

const most = 10_000

/**
 * Callers that were read a moment ago, by the hash of their token. Nothing is believed for longer than
 * `limits.sessionCacheMs`, so that what was revoked on another panel ends in time.
 */
export class KnownCallers {
  readonly #known = new Map<string, { readonly caller: Caller; readonly readAt: number }>()
  readonly #now: () => number
  /** Counts what was forgotten: a caller who was read before that is not remembered after it. */
  #forgotten = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** The caller by the hash of their token, read anew when what we know is too old. */
  async get(id: string, read: () => Promise<Caller | undefined>): Promise<Caller | undefined> {
    const [at, forgotten] = [this.#now(), this.#forgotten]
    const held = this.#known.get(id)
    if (held && at - held.readAt < limits.sessionCacheMs && at >= held.readAt) return held.caller
    const caller = await read()
    this.#known.delete(id)
    if (caller && forgotten === this.#forgotten) this.#known.set(id, { caller, readAt: at })
    if (this.#known.size > most) this.#known.delete(this.#known.keys().next().value ?? '')
    return caller
  }

  /** Forgets those of a person, whose name, rights or credentials changed. */
  forget(userId: number): void {
    this.#forgotten++
    for (const [id, { caller }] of this.#known) if (caller.userId === userId) this.#known.delete(id)
  }
}
