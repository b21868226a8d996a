import type { ServerUser } from '@innkeeper/contract/accounts/server-users'
import { serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { parsePermissions } from '../access/access.ts'
import type { AuthorizedServer, Principal } from '../access/principal.ts'
import { hasNotEnded } from '../database/expressions.ts'
import type { Database } from '../database/schema.ts'
import { lowerCaseKey } from '../database/users.ts'
import { getVersion } from '../database/versions.ts'
import type { PendingPermissions, ServerInvitesService } from '../invites/server-invites.ts'

interface Deps {
  readonly db: Database
  readonly invites: Pick<ServerInvitesService, 'pendingOn'>
  readonly now: () => number
}

export type ManageableServer = AuthorizedServer<'editServerUsers'>

/** Lists the users of a server. */
export function serverUserList({ db, invites, now }: Deps) {
  /** Users with access by name, then pending invites; the current user only on request. */
  return async function list(
    principal: Principal,
    server: ManageableServer,
    { withSelf }: { withSelf: boolean },
  ): Promise<ServerUser[]> {
    const rows = await db
      .selectFrom('server_users')
      .innerJoin('users', 'users.id', 'server_users.user_id')
      .select(['users.id', 'users.username', 'users.email', 'server_users.rights', 'server_users.expires_at'])
      .where('server_users.server_id', '=', server.id)
      .where(hasNotEnded(now()))
      .orderBy('users.username_key')
      .execute()
    const invited = await invites.pendingOn(server.id)
    const isInvited = (email: string) => invited.some((invite) => lowerCaseKey(invite.email) === lowerCaseKey(email))
    const hasAccess = (email: string) => rows.some((row) => lowerCaseKey(row.email) === lowerCaseKey(email))
    const users = rows
      .filter(({ id }) => withSelf || id !== principal.userId)
      .map(({ username, email, rights, expires_at: expiresAt }) => {
        const access = { permissions: parsePermissions(rights), expiresAt }
        return {
          ...getRecord(server.id, { username, email }, access),
          version: getVersion(versioned(access, { hasAccess: true })),
          ...(isInvited(email) ? { isInvited: true } : {}),
        }
      })
    const coming = invited
      .filter(({ email }) => !hasAccess(email))
      .map(({ email, ...access }) => ({
        ...getRecord(server.id, { username: '', email }, access),
        isInvited: true,
        version: getVersion(versioned(access, { hasAccess: false })),
      }))
    return [...users, ...coming]
  }
}

/**
 * The data for the version of a user's permissions. A removed user has another version than one without permissions.
 */
export function versioned(
  { permissions, expiresAt }: PendingPermissions,
  { hasAccess }: { readonly hasAccess: boolean },
) {
  const flags = serverPermissionNames.filter((permission) => permissions.includes(permission))
  return { hasAccess, flags, ...(expiresAt === null ? {} : { expiresAt }) }
}

function getRecord(
  serverIdentifier: string,
  { username, email }: { readonly username: string; readonly email: string },
  { permissions, expiresAt }: PendingPermissions,
): ServerUser {
  const granted = Object.fromEntries(permissions.map((permission) => [permission, true]))
  const end = expiresAt === null ? {} : { until: new Date(expiresAt).toISOString() }
  return { username, email, serverIdentifier, viewServers: true, ...end, ...granted }
}
