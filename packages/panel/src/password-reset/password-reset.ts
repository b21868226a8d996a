import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import type { Language } from '@innkeeper/contract/text/languages'
import type { Logger } from 'pino'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { markEmailConfirmed } from '../auth/email-confirmation.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { affectsRows, lock, runTransaction } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { lockUser, permissionsLock, userByEmail } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { maxLoginAttempts, type RateLimiter } from '../security/rate-limiter.ts'
import { hashToken, newToken } from '../security/secrets.ts'
import { removeKeysAndClients } from '../users/keys-and-clients.ts'

export const resetLinkLifetimeMs = 60 * 60 * 1000

interface Deps {
  readonly db: Database
  readonly mail: Pick<MailService, 'requireConfigured' | 'queue'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly sessions: Pick<SessionsService, 'endOthers' | 'invalidate'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly log: Logger
  readonly now: () => number
}

/** Maximum number of valid links per account; further requests send no mail. */
const maxLinks = 3

export interface PasswordReset {
  /**
   * Sends a link to the account of the address, if there is one, in the account's language or that of the browser.
   * Neither response nor timing reveals whether there is an account.
   */
  requestLink(email: string, address: string, language?: Language): Promise<void>
  /** Sets a new password with the token of a link, which works once. */
  reset(token: string, password: string, address: string, audit: AuditContext): Promise<void>
  /** Resolves when all requested mails are queued. */
  drain(): Promise<void>
}

interface ResetLink {
  readonly token: string
  readonly userId: number
  readonly at: number
  readonly expiresAt: number
}

/** Stores a link that sets a new password, once. */
export async function addResetLink(
  transaction: Transaction,
  { token, userId, at, expiresAt }: ResetLink,
): Promise<void> {
  const row = { token: hashToken(token), user_id: userId, created_at: at, expires_at: expiresAt }
  await transaction.insertInto('password_resets').values(row).execute()
}

/** Password reset by mail. */
export function passwordReset({ db, mail, passwords, sessions, limiter, log, now }: Deps): PasswordReset {
  const underway = new Set<Promise<void>>()

  async function send(email: string, language: Language | undefined): Promise<void> {
    await runTransaction(db, async (transaction) => {
      const [at, token] = [now(), newToken()]
      await transaction.deleteFrom('password_resets').where('expires_at', '<=', at).execute()
      const user = await userByEmail(transaction, email)
      if (!user) return
      // Serialized, so that concurrent requests are counted correctly.
      await lockUser(transaction, user.id)
      const live = await transaction
        .selectFrom('password_resets')
        .select('token')
        .where('user_id', '=', user.id)
        .execute()
      if (live.length >= maxLinks) return
      const expires = at + resetLinkLifetimeMs
      const until = new Date(expires).toISOString()
      await addResetLink(transaction, { token, userId: user.id, at, expiresAt: expires })
      await mail.queue(transaction, 'passwordReset', { to: user.email, language }, { token, until })
    })
  }

  return {
    async requestLink(email, address, language) {
      await mail.requireConfigured()
      await limiter.consume([{ key: `forgot ${clientSubnet(address)}`, max: maxLoginAttempts }])
      // Not awaited: the time for an existing account must not be visible.
      const sending = new Promise<void>((resolve) => setImmediate(resolve))
        .then(() => send(email, language))
        .catch((error: unknown) => log.error({ err: error }, 'a password reset link could not be sent'))
        .finally(() => underway.delete(sending))
      underway.add(sending)
    },

    async reset(token, newPassword, address, audit) {
      const trying = { key: `reset ${clientSubnet(address)}`, max: maxLoginAttempts }
      await limiter.consume([trying])
      const id = hashToken(token)
      const find = (on: Database) =>
        on
          .selectFrom('password_resets')
          .innerJoin('users', 'users.id', 'password_resets.user_id')
          .select(['users.id', 'users.username', 'users.email'])
          .where('password_resets.token', '=', id)
          .where('password_resets.expires_at', '>', now())
          .executeTakeFirst()
      // Anonymous requests must not cause password hashing.
      if (!(await find(db))) throw new Refusal('ErrTokenInvalid')
      const password = await passwords.hash(newPassword)

      const user = await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, permissionsLock)
        const user = await find(transaction)
        // A concurrent login with the old password has either finished, and its session ends here, or sees the new
        // password.
        if (user) await lockUser(transaction, user.id)
        // Consumed in one statement: of two concurrent requests one finds nothing to delete.
        const deletion = transaction.deleteFrom('password_resets').where('token', '=', id)
        if (!(await affectsRows(deletion)) || !user) throw new Refusal('ErrTokenInvalid')
        await transaction.deleteFrom('password_resets').where('user_id', '=', user.id).execute()
        await transaction.updateTable('users').set({ password }).where('id', '=', user.id).execute()
        // The link was sent to the address, so using it confirms the address.
        await markEmailConfirmed(transaction, user, now())
        await sessions.endOthers(user.id, undefined, transaction)
        await removeKeysAndClients(transaction, mail, user)
        await mail.queue(transaction, 'passwordChanged', { to: user.email }, {})
        audit.setActor(user)
        return user
      })
      sessions.invalidate(user.id)
      await limiter.refund([trying])
    },

    async drain() {
      await Promise.all(underway)
    },
  }
}
