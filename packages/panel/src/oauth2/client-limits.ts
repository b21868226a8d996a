import { ClientLimits } from '@innkeeper/contract/accounts/oauth2'
import { Refusal } from '@innkeeper/contract/errors/refusals'

/** The limits of a client as stored. Throws when they are damaged: the client must not have more than it was given. */
export function storedLimits(json: string | null): ClientLimits {
  return json === null ? {} : ClientLimits.parse(JSON.parse(json))
}

/**
 * Limits to store. A client of one server has no others.
 * @throws Refusal that names the limit
 */
export function validLimits(limits: ClientLimits = {}, server: { readonly id: string } | undefined): string | null {
  const field = server && (['scopes', 'servers', 'tags'] as const).find((name) => limits[name] !== undefined)
  if (field !== undefined) throw new Refusal('ErrFieldInvalid', { field })
  return Object.values(limits).some((limit) => limit !== undefined) ? JSON.stringify(limits) : null
}
