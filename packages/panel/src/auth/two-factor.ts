import type { SecondFactor } from '@innkeeper/contract/accounts/auth'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { toDataURL } from 'qrcode'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { RecentLogin } from '../access/principal.ts'
import { affectsRows, countRows } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { lockUser } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import { type OtpSubject, otpAttempts } from './otp-attempts.ts'
import { consumeOtpCode, findOtpStep, newOtpSecret, otpEnabledAt, otpUrl, replaceRecoveryCodes } from './otp-codes.ts'
import { hasPasskeys, removePasskeys } from './passkey-rows.ts'

interface Deps {
  readonly db: Database
  readonly limiter: RateLimiter
  readonly mail: Pick<MailService, 'queue'>
  /** The account name in authenticator apps. */
  readonly issuer: () => Promise<string>
  readonly now: () => number
}

const qrPixels = 256

/**
 * Consumes the code of an attempt, and returns the locked user.
 * @throws Refusal when the code is wrong
 */
export type ConsumeCode = (transaction: Transaction) => Promise<UserRow | undefined>

export type TwoFactorService = ReturnType<typeof twoFactorService>

/**
 * Two-factor authentication with TOTP codes. Each code is valid once; recovery codes replace a lost authenticator or
 * passkey.
 */
export function twoFactorService({ db, limiter, mail, issuer, now }: Deps) {
  const { rateLimited } = otpAttempts({ db, limiter, mail })

  const enabledAt = (userId: number, on: Database = db) => otpEnabledAt(on, userId)

  /**
   * An attempt with a code, with a rate limit. `work` must consume the code in the transaction of what needs it, which
   * also locks the user.
   */
  const attempt = <T>(subject: OtpSubject, token: string, work: (consume: ConsumeCode) => Promise<T>): Promise<T> =>
    rateLimited(subject, token, () =>
      work(async (transaction) => {
        const user = await lockUser(transaction, subject.userId)
        await consumeOtpCode(transaction, subject.userId, token, now())
        return user
      }),
    )

  /**
   * Consumes a code and runs `inTransaction` in one transaction.
   * @throws Refusal when the code is wrong
   */
  const verifyThen = <T>(
    subject: OtpSubject,
    token: string,
    audit: AuditContext,
    inTransaction: (transaction: Transaction) => Promise<T>,
  ): Promise<T> =>
    attempt(subject, token, (consume) =>
      auditedTransaction(audit, db, async (transaction) => {
        await consume(transaction)
        return inTransaction(transaction)
      }),
    )

  return {
    /** When two-factor was enabled, in epoch milliseconds; `undefined` when it is disabled. */
    enabledAt,

    /** Whether sign-ins need a second factor: a code, or a passkey. */
    isOn: async (userId: number, on: Database = db): Promise<boolean> => (await secondFactorsOf(on, userId)).length > 0,

    secondFactors: (userId: number, on: Database = db): Promise<SecondFactor[]> => secondFactorsOf(on, userId),

    recoveryCodesLeft: (userId: number): Promise<number> => countRecoveryCodes(db, userId),

    /** Starts an enrolment with a new secret, which replaces one that was not confirmed. */
    async start(userId: number, account: string, audit: AuditContext): Promise<{ secret: string; img: string }> {
      const secret = newOtpSecret()
      await auditedTransaction(audit, db, async (transaction) => {
        await lockUser(transaction, userId)
        await transaction.deleteFrom('two_factor').where('user_id', '=', userId).where('is_on', '=', 0).execute()
        if (await findTwoFactor(transaction, userId)) throw new Refusal('ErrOtpEnabled')
        const row = { user_id: userId, secret, is_on: 0, last_step: 0, created_at: now() }
        await transaction.insertInto('two_factor').values(row).execute()
      })
      const url = otpUrl(secret, await issuer(), account)
      return { secret, img: await toDataURL(url, { width: qrPixels, margin: 2 }) }
    },

    /** Confirms the enrolment with a code of the new secret; `inTransaction` runs in the same transaction. */
    confirm: (
      subject: OtpSubject,
      token: string,
      audit: AuditContext,
      inTransaction: (transaction: Transaction) => Promise<void>,
    ): Promise<string[]> =>
      rateLimited(subject, token, () =>
        auditedTransaction(audit, db, async (transaction) => {
          const { userId } = subject
          await lockUser(transaction, userId)
          await enableTwoFactor(transaction, userId, token, now())
          await inTransaction(transaction)
          return replaceRecoveryCodes(transaction, userId)
        }),
      ),

    attempt,

    verifyThen,

    /**
     * Replaces the recovery codes, with a code if the account has an authenticator.
     * @throws ErrFieldRequired, ErrInvalidTokenState without a second factor
     */
    async renewRecoveryCodes(
      subject: OtpSubject,
      token: string | undefined,
      recentLogin: RecentLogin,
      audit: AuditContext,
    ): Promise<string[]> {
      const { userId } = subject
      if (token !== undefined)
        return verifyThen(subject, token, audit, (transaction) => replaceRecoveryCodes(transaction, userId))
      return auditedTransaction(audit, db, async (transaction) => {
        await recentLogin(transaction)
        const factors = await secondFactorsOf(transaction, userId)
        if (factors.includes('code')) throw new Refusal('ErrFieldRequired', { field: 'token' })
        if (factors.length === 0) throw new Refusal('ErrInvalidTokenState')
        return replaceRecoveryCodes(transaction, userId)
      })
    },

    /** Disables two-factor with a code; `inTransaction` runs in the same transaction. */
    disable: (
      subject: OtpSubject,
      token: string,
      audit: AuditContext,
      inTransaction: (transaction: Transaction) => Promise<void>,
    ): Promise<void> =>
      verifyThen(subject, token, audit, async (transaction) => {
        await transaction.deleteFrom('two_factor').where('user_id', '=', subject.userId).execute()
        await removeUnusedRecoveryCodes(transaction, subject.userId)
        await inTransaction(transaction)
      }),
  }
}

/** Deletes all second factors of a user: secret, passkeys and recovery codes. */
export async function removeSecondFactors(transaction: Database, userId: number): Promise<void> {
  await transaction.deleteFrom('two_factor').where('user_id', '=', userId).execute()
  await removePasskeys(transaction, userId)
  await removeUnusedRecoveryCodes(transaction, userId)
}

/** Deletes the recovery codes of a user who has no second factor any more. */
export async function removeUnusedRecoveryCodes(transaction: Database, userId: number): Promise<void> {
  if ((await secondFactorsOf(transaction, userId)).length > 0) return
  await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

async function secondFactorsOf(on: Database, userId: number): Promise<SecondFactor[]> {
  const hasCode = (await otpEnabledAt(on, userId)) !== undefined
  return [...(hasCode ? (['code'] as const) : []), ...((await hasPasskeys(on, userId)) ? (['passkey'] as const) : [])]
}

async function countRecoveryCodes(db: Database, userId: number): Promise<number> {
  return await countRows(db.selectFrom('recovery_codes').where('user_id', '=', userId))
}

function findTwoFactor(db: Database, userId: number) {
  return db.selectFrom('two_factor').selectAll().where('user_id', '=', userId).executeTakeFirst()
}

/** Enables two-factor of a user who started it, with a code of the new secret. */
async function enableTwoFactor(transaction: Transaction, userId: number, token: string, now: number): Promise<void> {
  const row = await findTwoFactor(transaction, userId)
  if (!row) throw new Refusal('ErrInvalidTokenState')
  if (row.is_on === 1) throw new Refusal('ErrOtpEnabled')
  const step = findOtpStep(row.secret, token.replace(/\s/g, ''), now)
  if (step === undefined) throw new Refusal('ErrInvalidCredentials')
  const update = transaction
    .updateTable('two_factor')
    .set({ is_on: 1, last_step: step, created_at: now })
    .where('user_id', '=', userId)
    .where('secret', '=', row.secret)
    .where('is_on', '=', 0)
  if (!(await affectsRows(update))) throw new Refusal('ErrInvalidTokenState')
}
