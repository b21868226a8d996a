import {
  type NewServerPermissions,
  permissionsAfterUpdate,
  type RequiredPermission,
  type ServerPermission,
  scopeOfPermission,
  serverPermissionNames,
} from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ServerUser } from '@innkeeper/contract/server-users'
import { formatPermissions, parsePermissions, serverPermissionsOf } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { AuthorizedServer, Principal } from '../access/principal.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { upsert } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { requireCurrent, versionOf } from '../database/versions.ts'
import type { ServerInvitesService } from '../invites/server-invites.ts'
import type { MailService } from '../mail/mail.ts'
import { loadGrantor } from '../users/grantor.ts'
import { lowerCaseKey, scopesOf, serverPermissionsRow, userByEmail } from '../users/users.ts'

interface Deps {
  readonly db: Database
  readonly invites: ServerInvitesService
  readonly mail: Pick<MailService, 'queue' | 'isReady'>
  readonly sessions: Pick<SessionsService, 'invalidate'>
}

type ManageableServer = AuthorizedServer<'editServerUsers'>

export type ServerUsersService = ReturnType<typeof serverUsersService>

/** Users of a server and their permissions. */
export function serverUsersService({ db, invites, mail, sessions }: Deps) {
  /** Rejects a change of a user who has a permission on the server that the principal lacks. */
  async function requireMayChange(
    transaction: Transaction,
    server: ManageableServer,
    ownPermissions: ReadonlySet<RequiredPermission>,
    { user, email }: { readonly user: UserRow | undefined; readonly email: string },
  ): Promise<void> {
    const row = user && (await serverPermissionsRow(transaction, server.id, user.id))
    const scopes = user ? await scopesOf(transaction, user.id) : []
    const current = row === undefined ? [] : [...serverPermissionsOf({ scopes, client: undefined }, server.id, row)]
    const invited = await invites.permissionsOn(transaction, server.id, email)
    if ([...current, ...invited].some((right) => !ownPermissions.has(right))) throw new Refusal('ErrNoPermission')
  }

  return {
    /** Users with access by name, then pending invites; the current user only on request. */
    async list(
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
      const people = rows
        .filter(({ id }) => withSelf || id !== principal.userId)
        .map(({ username, email, rights }) => ({
          ...recordOf(server.id, { username, email }, parsePermissions(rights)),
          version: versionOf(versioned(parsePermissions(rights), { hasAccess: true })),
          ...(isInvited(email) ? { isInvited: true } : {}),
        }))
      const coming = invited
        .filter(({ email }) => !hasAccess(email))
        .map(({ email, flags }) => ({
          ...recordOf(server.id, { username: '', email }, flags),
          isInvited: true,
          version: versionOf(versioned(flags, { hasAccess: false })),
        }))
      return [...people, ...coming]
    },

    /**
     * Grants these permissions (`permissionsAfterUpdate`), and viewing the server with them. The principal must have
     * what is new. ErrStaleVersion when the permissions have changed since `seen`.
     */
    async setPermissions(
      principal: Principal,
      server: ManageableServer,
      email: string,
      permissions: NewServerPermissions,
      audit: AuditContext,
      expectedVersion?: string,
    ): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const ownPermissions = await currentPermissions(transaction, principal, server)
        const user = await userByEmail(transaction, email)
        await requireMayChange(transaction, server, ownPermissions, { user, email })
        const row = user && (await serverPermissionsRow(transaction, server.id, user.id))
        const current = row === undefined ? [] : parsePermissions(row)
        const invited = await invites.permissionsOn(transaction, server.id, email)
        const hasAccess = row !== undefined
        requireCurrent(expectedVersion, versioned(hasAccess ? current : invited, { hasAccess }))
        const requested = permissionsAfterUpdate(serverPermissionNames, [...current, ...invited], permissions)
        const isNew = (flag: ServerPermission) => !current.includes(flag)
        const missing = requested.find((flag) => isNew(flag) && !ownPermissions.has(flag))
        if (missing) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[missing] })

        const invite = () => invites.invite(transaction, { server, email, flags: requested, by: principal })
        if (!user) return invite()
        const mustConfirm = user.email_confirmed_at === null && (row === undefined || requested.some(isNew))
        if (!mustConfirm) await invites.revoke(transaction, server.id, email)
        else {
          // The account may not own the address: new permissions wait until its owner opens the link.
          if (!(await mail.isReady(transaction))) throw new Refusal('ErrEmailNotConfirmed')
          await invite()
          if (row === undefined) return
        }
        const rights = formatPermissions(mustConfirm ? requested.filter((flag) => !isNew(flag)) : requested)
        const kept = { server_id: server.id, user_id: user.id, rights }
        await upsert(transaction, 'server_users', ['server_id', 'user_id'], kept)
        if (row === undefined) {
          const facts = { server: server.name, serverId: server.id, by: principal.username }
          await mail.queue(transaction, 'addedToServer', { to: user.email, by: principal.userId }, facts)
        }
      })
    },

    /** Revokes all access of a user, or deletes the invite. */
    async remove(principal: Principal, server: ManageableServer, email: string, audit: AuditContext): Promise<void> {
      const removed = await auditedTransaction(audit, db, async (transaction) => {
        const ownPermissions = await currentPermissions(transaction, principal, server)
        const user = await userByEmail(transaction, email)
        await requireMayChange(transaction, server, ownPermissions, { user, email })
        const wasInvited = await invites.revoke(transaction, server.id, email)
        if (!user) {
          if (wasInvited) return undefined
          throw new Refusal('ErrUserNotFound')
        }
        const { numDeletedRows } = await transaction
          .deleteFrom('server_users')
          .where('server_id', '=', server.id)
          .where('user_id', '=', user.id)
          .executeTakeFirst()
        if (numDeletedRows === 0n) {
          if (wasInvited) return undefined
          throw new Refusal('ErrUserNotFound')
        }
        await transaction
          .deleteFrom('oauth2_clients')
          .where('server_id', '=', server.id)
          .where('user_id', '=', user.id)
          .execute()
        await mail.queue(
          transaction,
          'removedFromServer',
          { to: user.email, by: principal.userId },
          { server: server.name },
        )
        return user.id
      })
      if (removed !== undefined) sessions.invalidate(removed)
    },
  }
}

/** The current permissions of the principal on the server, read within the transaction. */
async function currentPermissions(transaction: Transaction, principal: Principal, server: ManageableServer) {
  const grantor = await loadGrantor(transaction, principal)
  const rights = serverPermissionsOf(
    grantor,
    server.id,
    (await serverPermissionsRow(transaction, server.id, principal.userId)) ?? null,
  )
  if (!rights.has('viewServer')) throw new Refusal('ErrServerNotFound')
  if (!rights.has('editServerUsers')) {
    throw new Refusal('ErrMissingScope', { scope: scopeOfPermission.editServerUsers })
  }
  return rights
}

/**
 * The data for the version of a user's permissions. A removed user has another version than one without permissions.
 */
function versioned(flags: readonly ServerPermission[], { hasAccess }: { readonly hasAccess: boolean }) {
  return { hasAccess, flags: serverPermissionNames.filter((flag) => flags.includes(flag)) }
}

function recordOf(
  serverIdentifier: string,
  { username, email }: { readonly username: string; readonly email: string },
  flags: readonly ServerPermission[],
): ServerUser {
  const granted = Object.fromEntries(flags.map((flag) => [flag, true]))
  return { username, email, serverIdentifier, viewServers: true, ...granted }
}
