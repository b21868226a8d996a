import { createHash } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/refusals'

/** The version (`ETag`) of a resource: it changes with anything that users see of the resource. */
export function versionOf(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22)
}

/**
 * Compares the version of the request (`If-Match`) with the stored one. Without a version it does nothing.
 * @throws Refusal ErrStaleVersion
 */
export function requireCurrent(seen: string | undefined, shown: unknown): void {
  if (seen !== undefined && seen !== versionOf(shown)) throw new Refusal('ErrStaleVersion')
}
