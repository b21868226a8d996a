import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { formatPermissions, parsePermissions } from '../access/access.ts'
import { pendingInvite } from '../auth/email-confirmation.ts'
import { affectsRows, upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import type { Inviter, InvitesService, LinkInvite } from './invites.ts'

interface Deps {
  readonly db: Database
  readonly invites: Pick<InvitesService, 'send' | 'createLink'>
  readonly now: () => number
}

/** What a pending invite grants on a server. */
export interface PendingPermissions {
  readonly permissions: readonly ServerPermission[]
  readonly expiresAt: number | null
}

/** An invite to a server. */
export interface ServerInvite {
  readonly server: { readonly id: string; readonly name: string }
  readonly email: string
  /** Permissions that the inviting user has; checked again when the invite is accepted. */
  readonly permissions: readonly ServerPermission[]
  /** When the access ends, epoch milliseconds. */
  readonly expiresAt: number | null
  readonly by: Inviter
}

export type ServerInvitesService = ReturnType<typeof serverInvitesService>

/** Invites to servers: the servers and permissions of pending invites. */
export function serverInvitesService({ db, invites, now }: Deps) {
  const pending = (on: Database, email: string) => pendingInvite(on, email, now())

  return {
    /** Invites an address to a server. For a pending invite to it, updates the permissions without another mail. */
    async invite(transaction: Transaction, invite: ServerInvite): Promise<void> {
      const { server, email, by } = invite
      const grant = getGrant(invite)
      const before = await pending(transaction, email)
      if (before) {
        const update = transaction
          .updateTable('invite_servers')
          .set(grant)
          .where('invite_id', '=', before.id)
          .where('server_id', '=', server.id)
        if (await affectsRows(update)) return
      }
      const id = await invites.send(transaction, email, by, server)
      const row = { invite_id: id, server_id: server.id, ...grant }
      await upsert(transaction, 'invite_servers', ['invite_id', 'server_id'], row)
    },

    /** Invites an address to a server by a link. */
    async inviteByLink(transaction: Transaction, invite: ServerInvite): Promise<LinkInvite> {
      const { server, email, by } = invite
      const { id, ...link } = await invites.createLink(transaction, email, by)
      const row = { invite_id: id, server_id: server.id, ...getGrant(invite) }
      await upsert(transaction, 'invite_servers', ['invite_id', 'server_id'], row)
      return link
    },

    /** Pending invites to a server. */
    async pendingOn(server: string): Promise<readonly (PendingPermissions & { readonly email: string })[]> {
      const rows = await db
        .selectFrom('invite_servers')
        .innerJoin('invites', 'invites.id', 'invite_servers.invite_id')
        .select(['invites.email', 'invite_servers.rights', 'invite_servers.expires_at'])
        .where('invite_servers.server_id', '=', server)
        .where('invites.expires_at', '>', now())
        .orderBy('invites.email_key')
        .execute()
      return rows.map(({ email, ...row }) => ({ email, ...getPermissions(row) }))
    },

    /** The permissions of a pending invite to a server. */
    async permissionsOn(transaction: Transaction, server: string, email: string): Promise<PendingPermissions> {
      const invite = await pending(transaction, email)
      const row =
        invite &&
        (await transaction
          .selectFrom('invite_servers')
          .select(['rights', 'expires_at'])
          .where('invite_id', '=', invite.id)
          .where('server_id', '=', server)
          .executeTakeFirst())
      return row ? getPermissions(row) : { permissions: [], expiresAt: null }
    },

    /** Removes a server from an invite, and deletes an invite without other servers; false when there was none. */
    async revoke(transaction: Transaction, server: string, email: string): Promise<boolean> {
      const invite = await pending(transaction, email)
      if (!invite) return false
      const deletion = transaction
        .deleteFrom('invite_servers')
        .where('invite_id', '=', invite.id)
        .where('server_id', '=', server)
      if (!(await affectsRows(deletion))) return false
      const otherInvite = await transaction
        .selectFrom('invite_servers')
        .select('server_id')
        .where('invite_id', '=', invite.id)
        .executeTakeFirst()
      if (!otherInvite) await transaction.deleteFrom('invites').where('id', '=', invite.id).execute()
      return true
    },
  }
}

const getGrant = ({ by, permissions, expiresAt }: ServerInvite) => ({
  invited_by: by.userId,
  rights: formatPermissions(permissions),
  expires_at: expiresAt,
})

const getPermissions = (row: { readonly rights: string; readonly expires_at: number | null }): PendingPermissions => ({
  permissions: parsePermissions(row.rights),
  expiresAt: row.expires_at,
})
