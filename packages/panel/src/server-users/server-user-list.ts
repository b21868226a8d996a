import type { ServerUser } from '@innkeeper/contract/accounts/server-users'
import { type ServerPermission, serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { parsePermissions } from '../access/access.ts'
import type { AuthorizedServer, Principal } from '../access/principal.ts'
import type { Database } from '../database/schema.ts'
import { lowerCaseKey } from '../database/users.ts'
import { getVersion } from '../database/versions.ts'
import type { ServerInvitesService } from '../invites/server-invites.ts'

interface Deps {
  readonly db: Database
  readonly invites: Pick<ServerInvitesService, 'pendingOn'>
}

export type ManageableServer = AuthorizedServer<'editServerUsers'>

/** Lists the users of a server. */
export function serverUserList({ db, invites }: Deps) {
  /** Users with access by name, then pending invites; the current user only on request. */
  return async function list(
    principal: Principal,
    server: ManageableServer,
    { withSelf }: { withSelf: boolean },
  ): Promise<ServerUser[]> {
    const rows = await db
      .selectFrom('server_users')
      .innerJoin('users', 'users.id', 'server_users.user_id')
      .select(['users.id', 'users.username', 'users.email', 'server_users.rights'])
      .where('server_users.server_id', '=', server.id)
      .orderBy('users.username_key')
      .execute()
    const invited = await invites.pendingOn(server.id)
    const isInvited = (email: string) => invited.some((invite) => lowerCaseKey(invite.email) === lowerCaseKey(email))
    const hasAccess = (email: string) => rows.some((row) => lowerCaseKey(row.email) === lowerCaseKey(email))
    const users = rows
      .filter(({ id }) => withSelf || id !== principal.userId)
      .map(({ username, email, rights: permissions }) => ({
        ...getRecord(server.id, { username, email }, parsePermissions(permissions)),
        version: getVersion(versioned(parsePermissions(permissions), { hasAccess: true })),
        ...(isInvited(email) ? { isInvited: true } : {}),
      }))
    const coming = invited
      .filter(({ email }) => !hasAccess(email))
      .map(({ email, permissions }) => ({
        ...getRecord(server.id, { username: '', email }, permissions),
        isInvited: true,
        version: getVersion(versioned(permissions, { hasAccess: false })),
      }))
    return [...users, ...coming]
  }
}

/**
 * The data for the version of a user's permissions. A removed user has another version than one without permissions.
 */
export function versioned(permissions: readonly ServerPermission[], { hasAccess }: { readonly hasAccess: boolean }) {
  return { hasAccess, flags: serverPermissionNames.filter((permission) => permissions.includes(permission)) }
}

function getRecord(
  serverIdentifier: string,
  { username, email }: { readonly username: string; readonly email: string },
  permissions: readonly ServerPermission[],
): ServerUser {
  const granted = Object.fromEntries(permissions.map((permission) => [permission, true]))
  return { username, email, serverIdentifier, viewServers: true, ...granted }
}
