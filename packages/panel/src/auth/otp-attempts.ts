import { Refusal } from '@innkeeper/contract/errors/refusals'
import { affectsRows } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import { type AttemptSource, maxLoginAttempts, type RateLimiter, sourceKey } from '../security/rate-limiter.ts'
import { isOtpCode, otpEnabledAt } from './otp-codes.ts'

/** Wrong codes per account and window. */
const maxOtpAttemptsPerAccount = 100
/** After this many wrong codes in a row, without time limit, the owner of the account gets a mail. */
export const wrongCodesToMail = 5
/** After this many wrong codes in a row, codes of the account are no longer accepted. */
export const wrongCodesToLock = 50

interface Deps {
  readonly db: Database
  readonly limiter: RateLimiter
  readonly mail: Pick<MailService, 'queue'>
}

/** The user of a code, and the source of the attempt. */
export interface OtpSubject extends AttemptSource {
  readonly userId: number
}

const dayMs = 24 * 60 * 60 * 1000

/** Limits the attempts to guess a code: per source, per account, and without time limit the wrong ones in a row. */
export function otpAttempts({ db, limiter, mail }: Deps) {
  /**
   * Counts wrong codes in a row before a code is checked, without time limit; a right one resets the count. Recovery
   * codes are too long to guess, so they still work when the limit is reached.
   */
  async function countConsecutive(userId: number): Promise<void> {
    const update = db
      .updateTable('two_factor')
      .set((row) => ({ wrong_codes: row('wrong_codes', '+', 1) }))
      .where('user_id', '=', userId)
      .where('is_on', '=', 1)
      .where('wrong_codes', '<', wrongCodesToLock)
    if (!(await affectsRows(update)) && (await otpEnabledAt(db, userId)) !== undefined)
      throw new Refusal('ErrOtpLocked')
  }

  /** Wrong codes mean that someone knows the password: mails the owner, at most once a day. */
  async function mailWrongCodes(userId: number): Promise<void> {
    const row = await db
      .selectFrom('two_factor')
      .innerJoin('users', 'users.id', 'two_factor.user_id')
      .select(['users.email', 'two_factor.wrong_codes'])
      .where('user_id', '=', userId)
      .where('is_on', '=', 1)
      .executeTakeFirst()
    if (!row || row.wrong_codes < wrongCodesToMail) return
    const kind = row.wrong_codes >= wrongCodesToLock ? 'otpLocked' : 'otpWrongCodes'
    if (!(await limiter.claimOnce(`mail ${kind} ${userId}`, dayMs))) return
    await mail.queue(db, kind, { to: row.email, userId }, {})
  }

  return {
    /** Consumes an attempt before the code is checked, and refunds it when `work` succeeds. */
    async rateLimited<T>({ userId, ...from }: OtpSubject, token: string, work: () => Promise<T>): Promise<T> {
      const all = [
        { key: `otp ${userId} ${sourceKey(from)}`, max: maxLoginAttempts },
        {
          key: `otp ${userId}${from.nodeId === undefined ? '' : ` by node ${from.nodeId}`}`,
          max: maxOtpAttemptsPerAccount,
        },
      ]
      await limiter.consume(all)
      if (isOtpCode(token)) await countConsecutive(userId)
      const done = await work().catch(async (error: unknown) => {
        if (error instanceof Refusal && error.code === 'ErrInvalidCredentials') await mailWrongCodes(userId)
        throw error
      })
      await limiter.refund(all)
      return done
    },
  }
}
