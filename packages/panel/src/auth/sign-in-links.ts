import { signInLinkPage } from '@innkeeper/contract/accounts/sign-in-link'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { affectsRows, runTransaction } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { lockUser, readScopes } from '../database/users.ts'
import { maxLoginAttempts, type RateLimiter } from '../security/rate-limiter.ts'
import { hashToken, newToken } from '../security/secrets.ts'
import type { Login } from './auth.ts'
import { getLoginResult, type OpenSessionDeps, openSession } from './open-session.ts'
import type { PendingLogins } from './pending-logins.ts'
import type { SessionClient } from './sessions.ts'
import type { TwoFactorService } from './two-factor.ts'

export const signInLinkLifetimeMs = 60_000

interface Deps extends OpenSessionDeps {
  readonly db: Database
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly pending: Pick<PendingLogins, 'open'>
  readonly twoFactor: Pick<TwoFactorService, 'isOn'>
  readonly now: () => number
}

export type SignInLinks = ReturnType<typeof signInLinks>

/** Links that sign a user in, once and within a minute. Users with permissions in the panel have none. */
export function signInLinks(deps: Deps) {
  const { db, limiter, pending, twoFactor, now } = deps

  async function requireWithoutScopes(on: Database | Transaction, userId: number): Promise<void> {
    if ((await readScopes(on, userId)).length > 0) throw new Refusal('ErrNoPermission')
  }

  return {
    /** The only copy of the link. Its page opens the server. */
    async create(
      user: Pick<UserRow, 'id' | 'email'>,
      server: string | undefined,
      audit: AuditContext,
    ): Promise<{ path: string; expiresAt: string }> {
      const [token, at] = [newToken(), now()]
      const expires = at + signInLinkLifetimeMs
      await auditedTransaction(audit, db, async (transaction) => {
        await requireWithoutScopes(transaction, user.id)
        await transaction.deleteFrom('sign_in_links').where('expires_at', '<=', at).execute()
        const row = { token: hashToken(token), user_id: user.id, expires_at: expires }
        await transaction.insertInto('sign_in_links').values(row).execute()
      })
      const fragment = new URLSearchParams({ token, email: user.email, ...(server !== undefined && { server }) })
      return { path: `${signInLinkPage}#${fragment}`, expiresAt: new Date(expires).toISOString() }
    },

    /** Throws ErrTokenInvalid. With two-factor authentication the code must follow. */
    async signIn(token: string, from: SessionClient, audit: AuditContext): Promise<Login> {
      const attempt = { key: `sign-in link ${clientSubnet(from.address)}`, max: maxLoginAttempts }
      await limiter.consume([attempt])
      const id = hashToken(token)
      const opened = await runTransaction(db, async (transaction) => {
        const links = transaction.selectFrom('sign_in_links').select('user_id').where('token', '=', id)
        const link = await links.where('expires_at', '>', now()).executeTakeFirst()
        const user = link && (await lockUser(transaction, link.user_id))
        // In one statement: of two concurrent requests one finds nothing to delete.
        const isFirst = await affectsRows(transaction.deleteFrom('sign_in_links').where('token', '=', id))
        if (!user || !isFirst) throw new Refusal('ErrTokenInvalid')
        await requireWithoutScopes(transaction, user.id)
        if (await twoFactor.isOn(user.id, transaction)) {
          audit.setActor(user)
          audit.skip()
          return { userId: user.id, token: await pending.open(user.id, transaction) }
        }
        const session = await openSession(deps, transaction, user, from, audit)
        await audit.record(transaction)
        return { userId: user.id, session }
      })
      await limiter.refund([attempt])
      if (opened.session === undefined) return { type: 'pending', token: opened.token }
      return { type: 'open', loggedIn: await getLoginResult(db, opened.userId, opened.session) }
    },
  }
}
