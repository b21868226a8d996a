import { signInLinkPage } from '@innkeeper/contract/accounts/sign-in-link'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { affectsRows } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { lockUser, readGrants } from '../database/users.ts'
import { maxLoginAttempts, type RateLimiter } from '../security/rate-limiter.ts'
import { hashToken, newToken } from '../security/secrets.ts'
import type { SessionClient } from './sessions.ts'
import type { Login, SignInService } from './sign-in.ts'

export const signInLinkLifetimeMs = 60_000

interface Deps {
  readonly db: Database
  readonly signIns: Pick<SignInService, 'signIn'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly now: () => number
}

export type SignInLinks = ReturnType<typeof signInLinks>

/** Links that sign a user in, once and within a minute. Users with permissions in the panel have none. */
export function signInLinks({ db, signIns, limiter, now }: Deps) {
  async function requireWithoutScopes(on: Database | Transaction, userId: number): Promise<void> {
    const { scopes, roles } = await readGrants(on, userId)
    if (scopes.length + roles.length > 0) throw new Refusal('ErrNoPermission')
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
      const login = await signIns.signIn({ by: 'link', from, audit }, async (transaction) => {
        const links = transaction.selectFrom('sign_in_links').select('user_id').where('token', '=', id)
        const link = await links.where('expires_at', '>', now()).executeTakeFirst()
        const user = link && (await lockUser(transaction, link.user_id))
        // In one statement: of two concurrent requests one finds nothing to delete.
        const isFirst = await affectsRows(transaction.deleteFrom('sign_in_links').where('token', '=', id))
        if (!user || !isFirst) throw new Refusal('ErrTokenInvalid')
        await requireWithoutScopes(transaction, user.id)
        return user
      })
      await limiter.refund([attempt])
      return login
    },
  }
}
