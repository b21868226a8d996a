import { createHash } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/refusals'

/** The version (`ETag`) of a resource: it changes with anything that users see of the resource. */
export function versionOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)
}

/**
 * Compares the version of the request (`If-Match`) with the stored one. Without a version it does nothing.
 * @throws Refusal ErrStaleVersion
 */
export function requireCurrent(ifMatch: string | undefined, value: unknown): void {
  if (ifMatch !== undefined && ifMatch !== versionOf(value)) throw new Refusal('ErrStaleVersion')
}
