import { createHash } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/errors/refusals'

/** The version of what users edit: it changes with anything that they see of it. It must not depend on secrets. */
export function getVersion(seen: unknown): string {
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex').slice(0, 32)
}

/** Throws ErrStaleVersion when the stored value is not the expected version. `undefined` is any. */
export function requireCurrent(expectedVersion: string | undefined, seen: unknown): void {
  if (expectedVersion !== undefined && expectedVersion !== getVersion(seen)) throw new Refusal('ErrStaleVersion')
}
