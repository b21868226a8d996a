import { createHash } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/refusals'

/** The version (`ETag`) of something saved: another one as soon as anything that a person sees of it is different. */
export function versionOf(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22)
}

/**
 * Compares the version that the caller has seen (`If-Match`) with what is saved now; without one any will do.
 * @throws Refusal ErrStaleVersion
 */
export function requireCurrent(seen: string | undefined, shown: unknown): void {
  if (seen !== undefined && seen !== versionOf(shown)) throw new Refusal('ErrStaleVersion')
}
