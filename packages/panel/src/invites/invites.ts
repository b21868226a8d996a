import { randomUUID } from 'node:crypto'
import type { Invite } from '@innkeeper/contract/invites'
import type { Language } from '@innkeeper/contract/languages'
import { limits } from '@innkeeper/contract/limits'
import { type PageQuery, type Paging, pagingOf } from '@innkeeper/contract/paging'
import type { ServerPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import { formatPermissions, parsePermissions } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { UserPrincipal } from '../access/principal.ts'
import type { Passwords } from '../auth/passwords.ts'
import { clientSubnet, type RateLimiter } from '../auth/rate-limiter.ts'
import { hashToken, newToken } from '../auth/secrets.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { isDatabaseError } from '../database/errors.ts'
import { lock, upsert } from '../database/rows.ts'
import type { Database, InviteRow, Transaction } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import { markEmailConfirmed, pendingInvite, redeemInvite, releaseEmail } from '../users/email-confirmation.ts'
import { addUser, lockUser, lowerCaseKey, permissionsLock, userByEmail } from '../users/users.ts'

interface Deps {
  readonly db: Database
  readonly mail: Pick<MailService, 'requireConfigured' | 'queue'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly sessions: Pick<SessionsService, 'invalidate'>
  readonly now: () => number
}

/** The user who invites. */
export interface Inviter {
  readonly userId: number
  readonly username: string
}

/** An invite to a server. */
export interface ServerInvite {
  readonly server: { readonly id: string; readonly name: string }
  readonly email: string
  /** Permissions that the inviting user has; checked again when the invite is accepted. */
  readonly flags: readonly ServerPermission[]
  readonly by: Inviter
}

/** The query of an invite link. */
export interface InviteLink {
  readonly token: string
  readonly email: string
}

/** The new account of an invited user; the language is that of the browser. */
interface Newcomer {
  readonly username: string
  readonly password: string
  readonly language?: Language | undefined
}

export interface InvitesService {
  /**
   * Invites an address without account. A pending invite gets a new link and keeps its servers.
   * @throws Refusal when no mail can be sent
   */
  invite(transaction: Transaction, email: string, by: Inviter): Promise<{ id: string }>
  /** Invites an address to a server. For a pending invite to it, updates the permissions without another mail. */
  inviteToServer(transaction: Transaction, invite: ServerInvite): Promise<void>
  /** Pending invites to a server. */
  pendingOnServer(server: string): Promise<readonly { email: string; flags: readonly ServerPermission[] }[]>
  /** The permissions of a pending invite to a server. */
  flagsOn(transaction: Transaction, server: string, email: string): Promise<readonly ServerPermission[]>
  /** Removes a server from an invite, and deletes an invite without other servers; false when there was none. */
  revoke(transaction: Transaction, server: string, email: string): Promise<boolean>
  list(query: PageQuery): Promise<{ invites: Invite[]; paging: Paging }>
  /** Deletes an invite. */
  cancel(id: string, audit: AuditContext): Promise<void>
  /**
   * Returns the contents of an invite.
   * @throws ErrInviteLinkInvalid
   */
  check(
    link: InviteLink,
    address: string,
  ): Promise<{ email: string; invitedBy?: string; server?: string; expiresAt: string; hasAccount: boolean }>
  /**
   * Creates the account with the permissions that the inviting users still have, and deletes the invite. An account
   * that never confirmed the address loses it.
   */
  accept(link: InviteLink, who: Newcomer, address: string, audit: AuditContext): Promise<{ id: number }>
  /** Grants the invite to the current account, if it has the invited address. */
  acceptAs(principal: UserPrincipal, token: string, address: string, audit: AuditContext): Promise<void>
}

/**
 * Invites by mail. The account is created when the invite is accepted. The invite stores only a hash of the token; the
 * token itself is in the queued mail until that is sent.
 */
export function invitesService({ db, mail, passwords, limiter, sessions, now }: Deps): InvitesService {
  /** The valid invite of a link. */
  async function find(on: Database, { token, email }: InviteLink): Promise<InviteRow | undefined> {
    return on
      .selectFrom('invites')
      .selectAll()
      .where('token', '=', hashToken(token))
      .where('email_key', '=', lowerCaseKey(email))
      .where('expires_at', '>', now())
      .executeTakeFirst()
  }

  const pending = (on: Database, email: string) => pendingInvite(on, email, now())

  async function send(
    transaction: Transaction,
    email: string,
    by: Inviter,
    server?: ServerInvite['server'],
  ): Promise<string> {
    await mail.requireConfigured(transaction)
    const [at, token] = [now(), newToken()]
    const expires = at + limits.inviteLifeMs
    // Two concurrent invites of one address become one invite.
    await lock(transaction, 'invites')
    await transaction.deleteFrom('invites').where('expires_at', '<=', at).execute()
    const before = await pending(transaction, email)
    const id = before?.id ?? randomUUID()
    await upsert(transaction, 'invites', ['id'], {
      id,
      email,
      email_key: lowerCaseKey(email),
      token: hashToken(token),
      invited_by: by.userId,
      created_at: before?.created_at ?? at,
      expires_at: expires,
    })
    const until = new Date(expires).toISOString()
    const facts = { email, token, until, by: by.username, ...(server ? { server: server.name } : {}) }
    if (!(await mail.queue(transaction, 'invite', { to: email, by: by.userId }, facts))) {
      throw new Refusal('ErrTooManyRequests')
    }
    return id
  }

  const limitOf = (address: string) => ({ key: `invite ${clientSubnet(address)}`, max: limits.loginAttempts })

  /** Rate limit for anonymous requests; one with a valid link is refunded, even if the name is taken. */
  async function rateLimited<T>(address: string, work: () => Promise<T>): Promise<T> {
    await limiter.consume([limitOf(address)])
    let isGood = true
    try {
      return await work()
    } catch (error) {
      isGood = !(error instanceof Refusal && error.code === 'ErrInviteLinkInvalid')
      throw error
    } finally {
      if (isGood) await limiter.refund([limitOf(address)])
    }
  }

  return {
    invite: async (transaction, email, by) => ({ id: await send(transaction, email, by) }),

    async inviteToServer(transaction, { server, email, flags, by }) {
      const grant = { invited_by: by.userId, rights: formatPermissions(flags) }
      const before = await pending(transaction, email)
      if (before) {
        const { numUpdatedRows } = await transaction
          .updateTable('invite_servers')
          .set(grant)
          .where('invite_id', '=', before.id)
          .where('server_id', '=', server.id)
          .executeTakeFirst()
        if (numUpdatedRows > 0n) return
      }
      const id = await send(transaction, email, by, server)
      const row = { invite_id: id, server_id: server.id, ...grant }
      await upsert(transaction, 'invite_servers', ['invite_id', 'server_id'], row)
    },

    async pendingOnServer(server) {
      const rows = await db
        .selectFrom('invite_servers')
        .innerJoin('invites', 'invites.id', 'invite_servers.invite_id')
        .select(['invites.email', 'invite_servers.rights'])
        .where('invite_servers.server_id', '=', server)
        .where('invites.expires_at', '>', now())
        .orderBy('invites.email_key')
        .execute()
      return rows.map(({ email, rights }) => ({ email, flags: parsePermissions(rights) }))
    },

    async flagsOn(transaction, server, email) {
      const invite = await pending(transaction, email)
      const row =
        invite &&
        (await transaction
          .selectFrom('invite_servers')
          .select('rights')
          .where('invite_id', '=', invite.id)
          .where('server_id', '=', server)
          .executeTakeFirst())
      return row ? parsePermissions(row.rights) : []
    },

    async revoke(transaction, server, email) {
      const invite = await pending(transaction, email)
      if (!invite) return false
      const { numDeletedRows } = await transaction
        .deleteFrom('invite_servers')
        .where('invite_id', '=', invite.id)
        .where('server_id', '=', server)
        .executeTakeFirst()
      if (numDeletedRows === 0n) return false
      const other = await transaction
        .selectFrom('invite_servers')
        .select('server_id')
        .where('invite_id', '=', invite.id)
        .executeTakeFirst()
      if (!other) await transaction.deleteFrom('invites').where('id', '=', invite.id).execute()
      return true
    },

    async list(query) {
      const live = db.selectFrom('invites').where('invites.expires_at', '>', now())
      const { total } = await live
        .select(({ fn }) => fn.countAll<number | bigint | string>().as('total'))
        .executeTakeFirstOrThrow()
      const rows = await live
        .leftJoin('users', 'users.id', 'invites.invited_by')
        .selectAll('invites')
        .select('users.username')
        .orderBy('invites.created_at', 'desc')
        .orderBy('invites.id')
        .limit(query.limit)
        .offset((query.page - 1) * query.limit)
        .execute()
      const granted = await grantsOf(rows.map(({ id }) => id))
      const invites = rows.map((row) => ({
        id: row.id,
        email: row.email,
        ...(row.username === null ? {} : { invitedBy: row.username }),
        servers: (granted.get(row.id) ?? []).map(({ id, name, rights }) => ({
          id,
          name,
          flags: [...parsePermissions(rights)],
        })),
        createdAt: new Date(row.created_at).toISOString(),
        expiresAt: new Date(row.expires_at).toISOString(),
      }))
      return { invites, paging: pagingOf(query, Number(total)) }
    },

    async cancel(id, audit) {
      await auditedTransaction(audit, db, async (transaction) => {
        const { numDeletedRows } = await transaction.deleteFrom('invites').where('id', '=', id).executeTakeFirst()
        if (numDeletedRows === 0n) throw new Refusal('ErrNotFound')
      })
    },

    check: (link, address) =>
      rateLimited(address, async () => {
        const invite = await find(db, link)
        if (!invite) throw new Refusal('ErrInviteLinkInvalid')
        const inviter = await db
          .selectFrom('users')
          .select('username')
          .where('id', '=', invite.invited_by ?? -1)
          .executeTakeFirst()
        const [server] = (await grantsOf([invite.id])).get(invite.id) ?? []
        return {
          email: invite.email,
          ...(inviter ? { invitedBy: inviter.username } : {}),
          ...(server ? { server: server.name } : {}),
          expiresAt: new Date(invite.expires_at).toISOString(),
          hasAccount: (await userByEmail(db, invite.email)) !== undefined,
        }
      }),

    accept: (link, { username, password: typed, language }, address, audit) =>
      rateLimited(address, async () => {
        // Anonymous requests must not cause password hashing.
        if (!(await find(db, link))) throw new Refusal('ErrInviteLinkInvalid')
        const password = await passwords.hash(typed)
        let unconfirmedOwnerId: number | undefined
        try {
          const accepted = await auditedTransaction(audit, db, async (transaction) => {
            await lock(transaction, permissionsLock)
            const invite = await find(transaction, link)
            if (!invite) throw new Refusal('ErrInviteLinkInvalid')
            const { email } = invite
            const unconfirmedOwner = await userByEmail(transaction, email)
            if (unconfirmedOwner && unconfirmedOwner.email_confirmed_at !== null) {
              throw new Refusal('ErrDuplicateEmail', { field: 'email' })
            }
            if (unconfirmedOwner) await releaseEmail(transaction, unconfirmedOwner.id)
            unconfirmedOwnerId = unconfirmedOwner?.id
            const who = { username, email, password, isEmailConfirmed: true, scopes: [], language }
            const id = await addUser(transaction, who, now())
            if (!(await redeemInvite(transaction, invite, id))) throw new Refusal('ErrInviteLinkInvalid')
            await mail.queue(transaction, 'accountCreation', { to: invite.email }, { username })
            audit.setActor({ id, username })
            return { id }
          })
          if (unconfirmedOwnerId !== undefined) sessions.invalidate(unconfirmedOwnerId)
          return accepted
        } catch (error) {
          if (error instanceof Refusal || isDatabaseError(error)) throw error
          throw new Refusal('ErrSavingInviteduser', {}, { cause: error })
        }
      }),

    acceptAs: (principal, token, address, audit) =>
      rateLimited(address, async () => {
        await auditedTransaction(audit, db, async (transaction) => {
          await lock(transaction, permissionsLock)
          const user = await lockUser(transaction, principal.userId)
          const invite = user && (await find(transaction, { token, email: user.email }))
          if (!user || !invite) throw new Refusal('ErrInviteLinkInvalid')
          await markEmailConfirmed(transaction, user, now())
        })
        sessions.invalidate(principal.userId)
      }),
  }

  async function grantsOf(invites: readonly string[]) {
    const rows =
      invites.length === 0
        ? []
        : await db
            .selectFrom('invite_servers')
            .innerJoin('servers', 'servers.id', 'invite_servers.server_id')
            .select(['invite_servers.invite_id', 'invite_servers.rights', 'servers.id', 'servers.name'])
            .where('invite_servers.invite_id', 'in', invites)
            .orderBy('servers.name')
            .execute()
    return Map.groupBy(rows, (row) => row.invite_id)
  }
}
