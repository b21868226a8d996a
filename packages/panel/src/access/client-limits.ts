import type { ClientLimits } from '@innkeeper/contract/accounts/oauth2'
import {
  hasScope,
  isAdmin,
  type PanelScope,
  permissionsOfScope,
  type RequiredPermission,
} from '@innkeeper/contract/api/permissions'
import { tagKey } from '@innkeeper/contract/text/names'
import type { OAuthClient } from './principal.ts'

/** Whether a client may access only some servers. */
export const hasOnlySomeServers = ({ servers, tags }: ClientLimits): boolean =>
  servers !== undefined || tags !== undefined

/** Whether a client has only the permissions and scopes that are listed. */
const hasOnlyListed = ({ scopes, permissions }: ClientLimits): boolean =>
  scopes !== undefined || permissions !== undefined

/** The scopes of a client: those of its owner that its limits allow. */
export function scopesOfClient(ownerScopes: readonly PanelScope[], limits: ClientLimits): readonly PanelScope[] {
  const isOfSomeServers = hasOnlySomeServers(limits)
  if (!hasOnlyListed(limits)) return isOfSomeServers ? [] : ownerScopes
  const listed = (limits.scopes ?? []).filter((scope) => hasScope(ownerScopes, scope))
  return isOfSomeServers ? listed.filter((scope) => !scope.startsWith('servers.')) : listed
}

/** Of the permissions of its owner on a server, those that a client has. */
export function permissionsOfClient(
  { ownerScopes, limits }: OAuthClient,
  server: { readonly id: string; readonly tagKeys: readonly string[] },
  ofOwner: ReadonlySet<RequiredPermission>,
): ReadonlySet<RequiredPermission> {
  if (hasOnlySomeServers(limits)) {
    const isListed = limits.servers?.includes(server.id) === true
    const tags = new Set(limits.tags?.map(tagKey))
    if (!isListed && !server.tagKeys.some((tag) => tags.has(tag))) return new Set()
  }
  if (!hasOnlyListed(limits)) return ofOwner
  const scopes = scopesOfClient(ownerScopes, limits)
  if (isAdmin(scopes)) return ofOwner
  const allowed = new Set<RequiredPermission>([
    'viewServer',
    ...(limits.permissions ?? []),
    ...scopes.flatMap((scope) => permissionsOfScope[scope] ?? []),
  ])
  return new Set([...ofOwner].filter((permission) => allowed.has(permission)))
}
