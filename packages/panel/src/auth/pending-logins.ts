import { type SignInMethod, signInMethods } from '@innkeeper/contract/accounts/auth'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { affectsRows } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { hashToken, newToken } from '../security/secrets.ts'

export const pendingLoginLifetimeMs = 300_000
/** Wrong codes per pending login. */
export const maxOtpAttempts = 5

interface Deps {
  readonly db: Database
  readonly now: () => number
}

interface PendingLogin {
  readonly userId: number
  /** How the first factor was verified. */
  readonly method: SignInMethod
}

export type PendingLogins = ReturnType<typeof pendingLogins>

/** Logins with one verified factor that wait for the second one. They authorize nothing. */
export function pendingLogins({ db, now }: Deps) {
  /** Consumes no attempt. */
  async function find(token: string): Promise<PendingLogin> {
    const row = await db
      .selectFrom('pending_logins')
      .select(['user_id', 'method'])
      .where('id', '=', hashToken(token))
      .where('expires_at', '>', now())
      .executeTakeFirst()
    if (!row) throw new Refusal('ErrSessionExpired')
    return { userId: row.user_id, method: signInMethods.find((method) => method === row.method) ?? 'password' }
  }

  return {
    /** Returns the only copy of the token. */
    async open(userId: number, method: SignInMethod, transaction: Transaction): Promise<string> {
      const [token, at] = [newToken(), now()]
      await transaction.deleteFrom('pending_logins').where('expires_at', '<=', at).execute()
      const row = { id: hashToken(token), user_id: userId, method, tries: 0, expires_at: at + pendingLoginLifetimeMs }
      await transaction.insertInto('pending_logins').values(row).execute()
      return token
    },

    find,

    /** Consumes one of the few attempts. */
    async consumeAttempt(token: string): Promise<PendingLogin> {
      const update = db
        .updateTable('pending_logins')
        .set((row) => ({ tries: row('tries', '+', 1) }))
        .where('id', '=', hashToken(token))
        .where('tries', '<', maxOtpAttempts)
        .where('expires_at', '>', now())
      if (!(await affectsRows(update))) throw new Refusal('ErrSessionExpired')
      return find(token)
    },

    /** Completes the login: of two concurrent requests with a valid code one succeeds. */
    async complete(token: string, transaction: Transaction): Promise<void> {
      const deletion = transaction.deleteFrom('pending_logins').where('id', '=', hashToken(token))
      if (!(await affectsRows(deletion))) throw new Refusal('ErrSessionExpired')
    },
  }
}
