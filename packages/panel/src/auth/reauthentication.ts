import { clientSubnet } from '@innkeeper/contract/client-subnet'
import { Refusal } from '@innkeeper/contract/refusals'
import type { UserPrincipal } from '../access/principal.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { lockUser, userById } from '../users/users.ts'
import type { Passwords } from './passwords.ts'
import { maxLoginAttempts, type RateLimiter } from './rate-limiter.ts'

/** A login within this time replaces the password prompt before a sensitive action. */
export const recentLoginMs = 600_000

interface Deps {
  readonly db: Database
  readonly passwords: Pick<Passwords, 'matches'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'reset'>
  readonly now: () => number
}

export type Reauthentication = ReturnType<typeof reauthentication>

/** Requires logged-in users to authenticate again before they change credentials. */
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

  return {
    verify,

    /**
     * Accepts a recent login or the password. The returned function checks it again within the transaction of the
     * change, and returns the user.
     * @throws ErrPasswordRequired when the login is older and no password was sent
     */
    async requireRecentLogin(
      { userId, sessionId }: UserPrincipal,
      password: string | undefined,
      address: string,
    ): Promise<(transaction: Transaction) => Promise<UserRow>> {
      const verified = password === undefined ? undefined : await verify(userId, password, address)
      if (!verified) await requireRecent(db, sessionId)
      return async (transaction) => {
        const user = await lockUser(transaction, userId)
        if (!user || (verified && verified.password !== user.password)) throw new Refusal('ErrInvalidCredentials')
        if (!verified) await requireRecent(transaction, sessionId)
        return user
      }
    },
  }

  async function requireRecent(on: Database, sessionId: string): Promise<void> {
    const session = await on.selectFrom('sessions').select('created_at').where('id', '=', sessionId).executeTakeFirst()
    if (!session || now() - session.created_at > recentLoginMs) throw new Refusal('ErrPasswordRequired')
  }
}
