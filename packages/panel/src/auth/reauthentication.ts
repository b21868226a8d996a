import { recentSignInMs } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Principal, RecentLogin, UserPrincipal } from '../access/principal.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { lockUser, noPassword, userById } from '../database/users.ts'
import { maxLoginAttempts, type RateLimiter } from '../security/rate-limiter.ts'
import type { Passwords } from './passwords.ts'

interface Deps {
  readonly db: Database
  readonly passwords: Pick<Passwords, 'matches'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'reset'>
  readonly now: () => number
}

export type Reauthentication = ReturnType<typeof reauthentication>

/**
 * Requires logged-in users to authenticate again before they change credentials. A recent login counts, whichever way it
 * was, and so does what `markConfirmed` records.
 */
export function reauthentication({ db, passwords, limiter, now }: Deps) {
  /**
   * Verifies the password of an account, with a rate limit.
   * @throws ErrInvalidCredentials
   */
  async function verify(userId: number, password: string, address: string): Promise<UserRow> {
    const attempt = { key: `password ${userId} ${clientSubnet(address)}`, max: maxLoginAttempts }
    await limiter.consume([attempt])
    const user = await userById(db, userId)
    if (!(await passwords.matches(password, user?.password)) || !user) throw new Refusal('ErrInvalidCredentials')
    await limiter.reset(attempt.key)
    return user
  }

  /** Verifies the password. The proof checks in the transaction of the change that it is still the same. */
  async function provePassword({ userId }: UserPrincipal, password: string, address: string): Promise<RecentLogin> {
    const verified = await verify(userId, password, address)
    return async (transaction) => {
      const user = await lockUser(transaction, userId)
      if (user?.password !== verified.password) throw new Refusal('ErrInvalidCredentials')
      return user
    }
  }

  async function proveRecent({ userId, sessionId }: UserPrincipal): Promise<RecentLogin> {
    await requireRecent(db, sessionId)
    return async (transaction) => {
      const user = await lockUser(transaction, userId)
      if (!user) throw new Refusal('ErrInvalidCredentials')
      await requireRecent(transaction, sessionId)
      return user
    }
  }

  /** Lets the session do for a time what requires a recent login, because the user has just proved to be there. */
  async function markConfirmed(transaction: Transaction, { sessionId }: UserPrincipal): Promise<void> {
    await transaction.updateTable('sessions').set({ confirmed_at: now() }).where('id', '=', sessionId).execute()
  }

  return {
    markConfirmed,

    /** Verifies the password, and lets the session do for a time what requires a recent login. */
    async confirm(principal: UserPrincipal, password: string, address: string, audit: AuditContext): Promise<void> {
      const confirmed = await provePassword(principal, password, address)
      await auditedTransaction(audit, db, async (transaction) => {
        await confirmed(transaction)
        await markConfirmed(transaction, principal)
      })
    },

    /**
     * Requires the current password, for what a recent login is not enough. An account without a password needs the recent
     * login.
     * @throws ErrFieldRequired, ErrInvalidCredentials, ErrPasswordRequired
     */
    async requirePassword(
      principal: UserPrincipal,
      password: string | undefined,
      address: string,
    ): Promise<RecentLogin> {
      if (password !== undefined) return provePassword(principal, password, address)
      const user = await userById(db, principal.userId)
      if (user?.password !== noPassword) throw new Refusal('ErrFieldRequired', { field: 'password' })
      return proveRecent(principal)
    },

    /**
     * Accepts a recent login or the password.
     * @throws ErrPasswordRequired when the login is older and no password was sent
     */
    requireRecentLogin: (
      principal: UserPrincipal,
      password: string | undefined,
      address: string,
    ): Promise<RecentLogin> =>
      password === undefined ? proveRecent(principal) : provePassword(principal, password, address),

    /**
     * Requires a recent login for what an administrator of users may do to any account, when it is the own one. OAuth2
     * clients may not.
     * @throws ErrPasswordRequired, ErrOwnAccount
     */
    async requireForOwnAccount(transaction: Transaction, principal: Principal, userId: number): Promise<void> {
      if (principal.userId !== userId) return
      if (principal.client) throw new Refusal('ErrOwnAccount')
      await requireRecent(transaction, principal.sessionId)
    },
  }

  async function requireRecent(on: Database, sessionId: string): Promise<void> {
    const session = await on
      .selectFrom('sessions')
      .select(['created_at', 'confirmed_at'])
      .where('id', '=', sessionId)
      .executeTakeFirst()
    if (!session || now() - Math.max(session.created_at, session.confirmed_at ?? 0) > recentSignInMs)
      throw new Refusal('ErrPasswordRequired')
  }
}
