import { createHash } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/errors/refusals'

/** What a change expects of the stored resource, so that no other change is lost (optimistic locking). */
export interface VersionCondition {
  /** The version that the change replaces; `undefined` for any. */
  readonly expectedVersion: string | undefined
  /** Whether there must be none yet. */
  readonly mustBeNew: boolean
}

/** The version of a resource: it changes with anything that users see of the resource. */
export function getVersion(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)
}

/**
 * Compares the expected version with that of the stored value; `undefined` when there is none any more. Without an expected
 * version it does nothing.
 * @throws Refusal ErrStaleVersion
 */
export function requireCurrent(expectedVersion: string | undefined, value: unknown): void {
  if (expectedVersion === undefined) return
  if (value === undefined || expectedVersion !== getVersion(value)) throw new Refusal('ErrStaleVersion')
}
