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

export type PendingLogins = ReturnType<typeof pendingLogins>

/** Logins with one verified factor that wait for the second one. They authorize nothing. */
export function pendingLogins({ db, now }: Deps) {
  return {
    /** Returns the only copy of the token. */
    async open(userId: number, method: SignInMethod, transaction: Transaction): Promise<string> {
      const [token, at] = [newToken(), now()]
      await transaction.deleteFrom('pending_logins').where('expires_at', '<=', at).execute()
      const row = { id: hashToken(token), user_id: userId, method, tries: 0, expires_at: at + pendingLoginLifetimeMs }
      await transaction.insertInto('pending_logins').values(row).execute()
      return token
    },

    /** Consumes one of the few attempts and returns the user, and how the first factor was verified. */
    async consumeAttempt(token: string): Promise<{ readonly userId: number; readonly method: SignInMethod }> {
      const id = hashToken(token)
      const update = db
        .updateTable('pending_logins')
        .set((row) => ({ tries: row('tries', '+', 1) }))
        .where('id', '=', id)
        .where('tries', '<', maxOtpAttempts)
        .where('expires_at', '>', now())
      const row = (await affectsRows(update))
        ? await db.selectFrom('pending_logins').select(['user_id', 'method']).where('id', '=', id).executeTakeFirst()
        : undefined
      if (!row) throw new Refusal('ErrSessionExpired')
      return { userId: row.user_id, method: signInMethods.find((method) => method === row.method) ?? 'password' }
    },

    /** Completes the login: of two concurrent requests with a valid code one succeeds. */
    async complete(token: string, transaction: Transaction): Promise<void> {
      const deletion = transaction.deleteFrom('pending_logins').where('id', '=', hashToken(token))
      if (!(await affectsRows(deletion))) throw new Refusal('ErrSessionExpired')
    },
  }
}
