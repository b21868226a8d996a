import {
  hasScope,
  isAdmin,
  type PanelScope,
  permissionsOfScope,
  scopeOfPermission,
} from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getServerPermissions, readTagKeys } from '../access/access.ts'
import { scopesOfClient } from '../access/client-limits.ts'
import type { OAuthClient, Principal } from '../access/principal.ts'
import { lock } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { hasAdministrator, permissionsLock, type RoleGrant, readGrants, readScopes } from '../database/users.ts'

/** The permissions of a user who grants permissions, read in the transaction that grants them. */
export interface Grantor extends Pick<Principal, 'userId' | 'scopes' | 'roles'> {
  readonly client?: OAuthClient
}

/**
 * Loads the principal with its current scopes. Locks permission changes until the end of the transaction, so that no
 * permission is granted while it is being revoked.
 */
export async function loadGrantor(transaction: Transaction, principal: Principal): Promise<Grantor> {
  await lock(transaction, permissionsLock)
  const { scopes, roles } = await readGrants(transaction, principal.userId)
  const { userId, client } = principal
  if (!client) return { userId, scopes, roles }
  return { userId, scopes: scopesOfClient(scopes, client.limits), roles, client: { ...client, ownerScopes: scopes } }
}

/** @throws Refusal that names a scope that the grantor lacks */
export function requireScopes(grantor: Grantor, scopes: readonly PanelScope[]): void {
  const missing = scopes.find((scope) => !hasScope(grantor.scopes, scope))
  if (missing) throw new Refusal('ErrMissingScope', { scope: missing })
}

/**
 * Access to an account includes its permissions: requires all permissions of the account, on every server too.
 * @throws Refusal that names a missing one
 */
export async function requireSuperset(transaction: Transaction, grantor: Grantor, userId: number): Promise<void> {
  const { scopes, roles } = await readGrants(transaction, userId)
  requireScopes(grantor, scopes)
  for (const role of roles) requireRoleGrant(grantor, role)
  const [required, ownRows] = [
    await permissionsByServer(transaction, userId),
    await permissionsByServer(transaction, grantor.userId),
  ]
  const tags = await readTagKeys(transaction, [...required.keys()], [grantor])
  for (const [id, row] of required) {
    const server = { id, tagKeys: tags(id), isSuspended: false }
    const permissions = getServerPermissions(grantor, server, ownRows.get(id) ?? null)
    const missing = [...getServerPermissions({ scopes, roles: [] }, server, row)].find(
      (permission) => !permissions.has(permission),
    )
    if (missing) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[missing] })
  }
}

/**
 * Requires all permissions of a role on the servers that it is given for. Permissions on single servers do not count:
 * a role also applies to servers of later. A client with limits can give none.
 * @throws Refusal that names a missing permission
 */
export function requireRoleGrant({ scopes, roles, client }: Grantor, { permissions, tagKey }: RoleGrant): void {
  if (isAdmin(scopes)) return
  const isLimited = client !== undefined && Object.keys(client.limits).length > 0
  const held = new Set<string>(
    isLimited
      ? []
      : [
          ...scopes.flatMap((scope) => permissionsOfScope[scope] ?? []),
          ...roles
            .filter((role) => role.tagKey === undefined || role.tagKey === tagKey)
            .flatMap((role) => role.permissions),
        ],
  )
  const missing = permissions.find((permission) => !held.has(permission))
  if (missing) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[missing] })
}

/** Only administrators may change an administrator. */
export async function requireMayEdit(transaction: Transaction, grantor: Grantor, id: number): Promise<void> {
  if (isAdmin(await readScopes(transaction, id))) requireScopes(grantor, ['servers.admin'])
}

/** @throws Refusal when the user is the only administrator */
export async function requireOtherAdministrator(transaction: Transaction, userId: number): Promise<void> {
  if (!(await hasAdministrator(transaction, userId))) throw new Refusal('ErrLastAdministrator')
}

async function permissionsByServer(db: Database, userId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('server_users')
    .select(['server_id', 'rights'])
    .where('user_id', '=', userId)
    .execute()
  return new Map(rows.map((row) => [row.server_id, row.rights]))
}
