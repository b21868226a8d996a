import {
  type NewServerPermissions,
  permissionsAfterUpdate,
  type RequiredPermission,
  type ServerPermission,
  scopeOfPermission,
  serverPermissionNames,
} from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  formatPermissions,
  getServerPermissions,
  parsePermissions,
  readTagKeys,
  readUserPermissions,
} from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Principal } from '../access/principal.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { affectsRows, upsert } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { serverPermissionsRow, userByEmail } from '../database/users.ts'
import { requireCurrent } from '../database/versions.ts'
import type { LinkInvite } from '../invites/invites.ts'
import type { ServerInvitesService } from '../invites/server-invites.ts'
import type { MailService } from '../mail/mail.ts'
import { loadGrantor } from '../users/grantor.ts'
import { type ManageableServer, serverUserList, versioned } from './server-user-list.ts'

interface Deps {
  readonly db: Database
  readonly invites: ServerInvitesService
  readonly mail: Pick<MailService, 'queue' | 'isReady'>
  readonly sessions: Pick<SessionsService, 'invalidate'>
  readonly reauthentication: Pick<Reauthentication, 'requireForOwnAccount'>
  readonly now: () => number
}

export type ServerUsersService = ReturnType<typeof serverUsersService>

/** Users of a server and their permissions. */
export function serverUsersService({ db, invites, mail, sessions, reauthentication, now }: Deps) {
  return {
    list: serverUserList({ db, invites, now }),

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
        const at = now()
        const own = await currentPermissions(transaction, principal, server, at)
        const user = await userByEmail(transaction, email)
        await requireMayChange(transaction, invites, server, own.permissions, { user, email, at })
        const row = user && (await serverPermissionsRow(transaction, server.id, user.id, at))
        const current = row === undefined ? [] : parsePermissions(row.rights)
        const invited = await invites.permissionsOn(transaction, server.id, email)
        const hasAccess = row !== undefined
        const before = row ? { permissions: current, expiresAt: row.expires_at } : invited
        requireCurrent(expectedVersion, versioned(before, { hasAccess }))
        const requested = permissionsAfterUpdate(
          serverPermissionNames,
          [...current, ...invited.permissions],
          permissions,
        )
        const isNew = (permission: ServerPermission) => !current.includes(permission)
        requirePermissions(own.permissions, requested.filter(isNew))
        const expiresAt = getEnd(permissions.until, before.expiresAt, at)
        const isLonger = row !== undefined && endsLater(expiresAt, row.expires_at)
        if (row === undefined || isLonger || requested.some(isNew)) requireEndBefore(own.expiresAt, expiresAt)
        const isShorter = row !== undefined && endsLater(row.expires_at, expiresAt)
        if (user && (isShorter || current.some((permission) => !requested.includes(permission)))) {
          await reauthentication.requireForOwnAccount(transaction, principal, user.id)
        }

        const invite = () =>
          invites.invite(transaction, { server, email, permissions: requested, expiresAt, by: principal })
        if (!user) return invite()
        const mustConfirm = user.email_confirmed_at === null && (row === undefined || isLonger || requested.some(isNew))
        if (!mustConfirm) await invites.revoke(transaction, server.id, email)
        else {
          // The account may not own the address: new permissions wait until its owner opens the link.
          if (!(await mail.isReady(transaction))) throw new Refusal('ErrEmailNotConfirmed')
          await invite()
          if (row === undefined) return
        }
        const granted = formatPermissions(
          mustConfirm ? requested.filter((permission) => !isNew(permission)) : requested,
        )
        const end = mustConfirm && isLonger ? row.expires_at : expiresAt
        const kept = { server_id: server.id, user_id: user.id, rights: granted, expires_at: end }
        await upsert(transaction, 'server_users', ['server_id', 'user_id'], kept)
        if (row === undefined) {
          const facts = { server: server.name, serverId: server.id, by: principal.username }
          await mail.queue(transaction, 'addedToServer', { to: user.email, by: principal.userId }, facts)
        }
      })
    },

    /** Invites an address without account by a link. The principal must have the permissions. */
    async inviteByLink(
      principal: Principal,
      server: ManageableServer,
      { email, permissions }: { readonly email: string; readonly permissions: NewServerPermissions },
      audit: AuditContext,
    ): Promise<LinkInvite> {
      return await auditedTransaction(audit, db, async (transaction) => {
        const at = now()
        const own = await currentPermissions(transaction, principal, server, at)
        const user = await userByEmail(transaction, email)
        // The owner of an account opens it with their own mail, not with a link from another user.
        if (user && user.email_confirmed_at === null) throw new Refusal('ErrEmailNotConfirmed')
        if (user) throw new Refusal('ErrDuplicateEmail', { field: 'email' })
        await requireMayChange(transaction, invites, server, own.permissions, { user, email, at })
        const granted = permissionsAfterUpdate(serverPermissionNames, [], permissions)
        requirePermissions(own.permissions, granted)
        const expiresAt = getEnd(permissions.until, null, at)
        requireEndBefore(own.expiresAt, expiresAt)
        return await invites.inviteByLink(transaction, {
          server,
          email,
          permissions: granted,
          expiresAt,
          by: principal,
        })
      })
    },

    /** Revokes all access of a user, or deletes the invite. */
    async remove(principal: Principal, server: ManageableServer, email: string, audit: AuditContext): Promise<void> {
      const removed = await auditedTransaction(audit, db, async (transaction) => {
        const at = now()
        const own = await currentPermissions(transaction, principal, server, at)
        const user = await userByEmail(transaction, email)
        await requireMayChange(transaction, invites, server, own.permissions, { user, email, at })
        const wasInvited = await invites.revoke(transaction, server.id, email)
        if (user) await reauthentication.requireForOwnAccount(transaction, principal, user.id)
        if (!user || !(await removeServerUser(transaction, server.id, user.id))) {
          if (wasInvited) return undefined
          throw new Refusal('ErrUserNotFound')
        }
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

/** The current permissions of the principal on the server and their end, read within the transaction. */
async function currentPermissions(
  transaction: Transaction,
  principal: Principal,
  server: ManageableServer,
  now: number,
): Promise<{ readonly permissions: ReadonlySet<RequiredPermission>; readonly expiresAt: number | null }> {
  const grantor = await loadGrantor(transaction, principal)
  const row = await serverPermissionsRow(transaction, server.id, principal.userId, now)
  const tags = await readTagKeys(transaction, [server.id], [grantor])
  const facts = { id: server.id, tagKeys: tags(server.id), isSuspended: false }
  const permissions = getServerPermissions(grantor, facts, row?.rights ?? null)
  if (!permissions.has('viewServer')) throw new Refusal('ErrServerNotFound')
  if (!permissions.has('editServerUsers')) {
    throw new Refusal('ErrMissingScope', { scope: scopeOfPermission.editServerUsers })
  }
  // Its end does not matter to who has the same permissions without it.
  const withoutRow = getServerPermissions(grantor, facts, null)
  const isNeeded = [...permissions].some((permission) => !withoutRow.has(permission))
  return { permissions, expiresAt: isNeeded ? (row?.expires_at ?? null) : null }
}

/** Rejects a change of a user who has a permission on the server that the principal lacks. */
async function requireMayChange(
  transaction: Transaction,
  invites: ServerInvitesService,
  server: ManageableServer,
  ownPermissions: ReadonlySet<RequiredPermission>,
  { user, email, at }: { readonly user: UserRow | undefined; readonly email: string; readonly at: number },
): Promise<void> {
  const hasAccess = user && (await serverPermissionsRow(transaction, server.id, user.id, at)) !== undefined
  const current = hasAccess ? [...(await readUserPermissions(transaction, user.id, server.id, at))] : []
  const invited = await invites.permissionsOn(transaction, server.id, email)
  if ([...current, ...invited.permissions].some((permission) => !ownPermissions.has(permission)))
    throw new Refusal('ErrNoPermission')
}

/** The requested end of access, or the current one if none was sent. */
function getEnd(until: string | null | undefined, current: number | null, now: number): number | null {
  if (until === undefined) return current
  if (until === null) return null
  const expiresAt = Date.parse(until)
  if (expiresAt <= now) throw new Refusal('ErrFieldNotFuture', { field: 'until' })
  return expiresAt
}

function endsLater(one: number | null, other: number | null): boolean {
  return other !== null && (one === null || one > other)
}

/** Who has access until a time can give none beyond it. */
function requireEndBefore(own: number | null, wanted: number | null): void {
  if (endsLater(wanted, own) && own !== null)
    throw new Refusal('ErrFieldTooLarge', { field: 'until', max: new Date(own).toISOString() })
}

function requirePermissions(own: ReadonlySet<RequiredPermission>, wanted: readonly ServerPermission[]): void {
  const missing = wanted.find((permission) => !own.has(permission))
  if (missing) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[missing] })
}

/** Deletes the permissions and clients of a user on a server. Returns whether there were permissions. */
export async function removeServerUser(transaction: Transaction, serverId: string, userId: number): Promise<boolean> {
  const ofUser = { server_id: serverId, user_id: userId }
  const deletion = transaction.deleteFrom('server_users').where(({ and }) => and(ofUser))
  if (!(await affectsRows(deletion))) return false
  await transaction
    .deleteFrom('oauth2_clients')
    .where(({ and }) => and(ofUser))
    .execute()
  return true
}
