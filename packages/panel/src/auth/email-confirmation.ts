import { randomUUID } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { formatPermissions, parsePermissions, readUserPermissions } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { PrincipalWithScope, UserPrincipal } from '../access/principal.ts'
import { affectsRows, lock, runTransaction, upsert } from '../database/rows.ts'
import type { Database, InviteRow, Transaction, UserRow } from '../database/schema.ts'
import {
  changeUser,
  lockUser,
  lowerCaseKey,
  permissionsLock,
  serverPermissionsRow,
  userLabel,
} from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { maxLoginAttempts, type RateLimiter } from '../security/rate-limiter.ts'
import { hashToken, newToken } from '../security/secrets.ts'
import type { SessionsService } from './sessions.ts'

export const confirmationLinkLifetimeMs = 24 * 60 * 60 * 1000

interface Deps {
  readonly db: Database
  readonly mail: Pick<MailService, 'requireConfigured' | 'queue'>
  readonly sessions: Pick<SessionsService, 'invalidate'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly now: () => number
}

/** Maximum number of valid confirmation links per account. */
const maxLinks = 3

export type EmailConfirmation = ReturnType<typeof emailConfirmation>

/**
 * Confirms email addresses. An address grants permissions only to an account that is known to own it: through a link
 * sent to the address, or confirmation by an administrator.
 */
export function emailConfirmation({ db, mail, sessions, limiter, now }: Deps) {
  /** Sends a link to the unconfirmed address of an account. False when no mail can be sent. */
  async function send(
    transaction: Transaction,
    user: Pick<UserRow, 'id' | 'username' | 'email'>,
    by?: number,
  ): Promise<boolean> {
    const [at, token] = [now(), newToken()]
    await transaction.deleteFrom('email_confirmations').where('expires_at', '<=', at).execute()
    const good = await transaction
      .selectFrom('email_confirmations')
      .select('token')
      .where('user_id', '=', user.id)
      .execute()
    if (good.length >= maxLinks) return false
    const expires = at + confirmationLinkLifetimeMs
    const facts = { username: user.username, token, until: new Date(expires).toISOString() }
    const isQueued = await mail.queue(transaction, 'emailConfirm', { to: user.email, userId: user.id, by }, facts)
    if (!isQueued) return false
    const row = { token: hashToken(token), user_id: user.id, expires_at: expires }
    await transaction.insertInto('email_confirmations').values(row).execute()
    return true
  }

  return {
    send,

    /** Sends the link of the current user again. */
    async sendAgain({ userId }: UserPrincipal): Promise<void> {
      await mail.requireConfigured()
      await runTransaction(db, async (transaction) => {
        const user = await lockUser(transaction, userId)
        if (!user || user.email_confirmed_at !== null) return
        if (!(await send(transaction, user, userId))) throw new Refusal('ErrTooManyRequests')
      })
    },

    /** Confirms the current user's address with the token of a link. */
    async confirm({ userId }: UserPrincipal, token: string, address: string, audit: AuditContext): Promise<void> {
      const attempt = { key: `confirm ${clientSubnet(address)}`, max: maxLoginAttempts }
      await limiter.consume([attempt])
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, permissionsLock)
        const user = await lockUser(transaction, userId)
        const deletion = transaction
          .deleteFrom('email_confirmations')
          .where('token', '=', hashToken(token))
          .where('user_id', '=', userId)
          .where('expires_at', '>', now())
        if (!(await affectsRows(deletion)) || !user) throw new Refusal('ErrTokenInvalid')
        await markEmailConfirmed(transaction, user, now())
      })
      sessions.invalidate(userId)
      await limiter.refund([attempt])
    },

    /** Confirms an address as administrator. */
    async confirmAsAdministrator(
      _caller: PrincipalWithScope<'servers.admin'>,
      id: number,
      audit: AuditContext,
    ): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, permissionsLock)
        const user = await lockUser(transaction, id)
        if (!user) throw new Refusal('ErrUserNotFound')
        audit.setSubject({ target: userLabel(user) })
        await markEmailConfirmed(transaction, user, now())
      })
      sessions.invalidate(id)
    },
  }
}

/**
 * Marks the address of an account as confirmed, and grants the account the permissions of pending invites. Call this
 * while holding `lock(transaction, permissionsLock)`.
 */
export async function markEmailConfirmed(
  transaction: Transaction,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  now: number,
): Promise<void> {
  await transaction.updateTable('users').set({ email_confirmed_at: now }).where('id', '=', id).execute()
  await transaction.deleteFrom('email_confirmations').where('user_id', '=', id).execute()
  const invite = await pendingInvite(transaction, email, now)
  if (invite) await redeemInvite(transaction, invite, id, now)
}

/** The valid invite of an address. */
export async function pendingInvite(on: Database, email: string, now: number): Promise<InviteRow | undefined> {
  return on
    .selectFrom('invites')
    .selectAll()
    .where('email_key', '=', lowerCaseKey(email))
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/**
 * Grants an account the permissions that the inviting users still have, and deletes the invite. False when it was
 * already deleted.
 */
export async function redeemInvite(
  transaction: Transaction,
  { id, token }: Pick<InviteRow, 'id' | 'token'>,
  userId: number,
  now: number,
): Promise<boolean> {
  const granted = await transaction.selectFrom('invite_servers').selectAll().where('invite_id', '=', id).execute()
  // Deleted in one statement: of two concurrent requests one finds nothing to delete.
  const deletion = transaction.deleteFrom('invites').where('id', '=', id).where('token', '=', token)
  if (!(await affectsRows(deletion))) return false
  for (const { server_id: server, invited_by: inviter, rights, expires_at } of granted) {
    if (expires_at !== null && expires_at <= now) continue
    const grantable = await grantableBy(transaction, server, inviter, rights, now)
    if (!grantable) continue
    const current = parsePermissions((await serverPermissionsRow(transaction, server, userId, now))?.rights ?? '')
    const permissions = formatPermissions([...current, ...grantable])
    const row = { server_id: server, user_id: userId, rights: permissions, expires_at }
    await upsert(transaction, 'server_users', ['server_id', 'user_id'], row)
  }
  return true
}

/** The permissions that the inviting user may still grant; `undefined` when the user may no longer grant any access. */
async function grantableBy(transaction: Transaction, server: string, inviter: number, rights: string, now: number) {
  const permissions = await readUserPermissions(transaction, inviter, server, now)
  return permissions.has('editServerUsers')
    ? parsePermissions(rights).filter((permission) => permissions.has(permission))
    : undefined
}

/**
 * Releases an address that an account never confirmed. The account keeps everything else, with a placeholder address
 * that receives no mail, until it sets another one.
 */
export async function releaseEmail(transaction: Transaction, userId: number): Promise<void> {
  await changeUser(transaction, userId, { email: `${randomUUID()}@${placeholderAddress}`, emailConfirmedAt: null })
}

/** RFC 2606: a reserved domain without mailboxes. */
const placeholderAddress = 'unconfirmed.invalid'
