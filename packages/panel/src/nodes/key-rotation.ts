import { limits } from '@innkeeper/contract/limits'

/** A key that panels sign with, did sign with, or will. */
export interface KeyRow {
  readonly id: string
  readonly created_at: number
  readonly signs_since: number | null
}

/** What the keys in the database are for. */
export interface KeyRoles<K> {
  readonly signing: K
  /** Made, but nodes are still being told. */
  readonly next: K | undefined
  /** Signed before, in the order of their age. */
  readonly old: readonly K[]
}

/** The key that began to sign last signs; what is younger is next, what is older is old. */
export function rolesOf<K extends KeyRow>(keys: readonly K[]): KeyRoles<K> | undefined {
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
 * Whether the next key takes over: every node that is online knows it, or they had time enough. A panel that was away
 * hears of its nodes again before it decides that none is online.
 */
export function shouldPromoteNext(next: KeyRow, onlineKnow: readonly boolean[], now: number): boolean {
  const age = now - next.created_at
  if (age >= limits.signingKeyDistributeMs) return true
  return age >= limits.nodeSilentMs && onlineKnow.every(Boolean)
}

/** Whether what the old keys signed is believed no longer, and nobody learns from them any more. */
export function canRetireOld({ signing, old }: KeyRoles<KeyRow>, now: number): boolean {
  return old.length > 0 && now - (signing.signs_since ?? now) >= limits.signingKeyKeptMs
}
