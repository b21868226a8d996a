import { nodeSilenceMs } from './node-repository.ts'

/** Time to distribute the next key before it signs. */
const keyDistributionMs = 600_000
/** How long the previous key stays trusted. */
const previousKeyTrustMs = 3_600_000

/** A signing key of the panel: next, current or old. */
export interface KeyRow {
  readonly id: string
  readonly created_at: number
  readonly signs_since: number | null
}

/** The roles of the keys in the database. */
export interface KeyRoles<K> {
  readonly signing: K
  /** Generated, and being distributed to the nodes. */
  readonly next: K | undefined
  /** Keys that signed before, oldest first. */
  readonly old: readonly K[]
}

/** The key that started signing last is current; newer ones are next, older ones are old. */
export function findRoles<K extends KeyRow>(keys: readonly K[]): KeyRoles<K> | undefined {
  const byAge = keys.toSorted((a, b) => a.created_at - b.created_at || a.id.localeCompare(b.id))
  const signing = byAge.reduce<K | undefined>((best, key) => {
    if (!best) return key
    return (key.signs_since ?? -1) > (best.signs_since ?? -1) ? key : best
  }, undefined)
  if (!signing) return undefined
  const at = byAge.indexOf(signing)
  return { signing, next: byAge[at + 1], old: byAge.slice(0, at) }
}

/**
 * Whether the next key should start signing: every online node knows it, or its time is up. A panel that was down first
 * waits for reports, before it decides that no node is online.
 */
export function shouldPromoteNext(next: KeyRow, onlineKnow: readonly boolean[], now: number): boolean {
  const age = now - next.created_at
  if (age >= keyDistributionMs) return true
  return age >= nodeSilenceMs && onlineKnow.every(Boolean)
}

/** Whether old keys can be deleted: nothing they signed is valid any more, and no node depends on them. */
export function canRetireOld({ signing, old }: KeyRoles<KeyRow>, now: number): boolean {
  return old.length > 0 && now - (signing.signs_since ?? now) >= previousKeyTrustMs
}
