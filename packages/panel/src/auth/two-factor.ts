import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { Secret, TOTP } from 'otpauth'
import { toDataURL } from 'qrcode'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import { lockUser } from '../users/users.ts'
import { type AttemptSource, type RateLimiter, sourceKey } from './rate-limiter.ts'
import { hashToken } from './secrets.ts'
import { generateUserCode, normalizeUserCode } from './user-code.ts'

interface Deps {
  readonly db: Database
  readonly limiter: RateLimiter
  readonly mail: Pick<MailService, 'queue'>
  /** The account name in authenticator apps. */
  readonly issuer: () => Promise<string>
  readonly now: () => number
}

/** The user of a code, and the source of the attempt. */
export interface OtpSubject extends AttemptSource {
  readonly userId: number
}

/** Parameters that all authenticator apps support. */
const shape = { algorithm: 'SHA1', digits: 6, period: 30 } as const
const secretBytes = 20
const qrPixels = 256
const dayMs = 24 * 60 * 60 * 1000

export type TwoFactorService = ReturnType<typeof twoFactorService>

/** Two-factor authentication with TOTP codes. Each code is valid once; recovery codes replace a lost authenticator. */
export function twoFactorService({ db, limiter, mail, issuer, now }: Deps) {
  /** The time step of a code, within one step of the current one; `undefined` when the code is wrong. */
  function stepOf(secret: string, token: string): number | undefined {
    const delta = TOTP.validate({ ...shape, token, secret: Secret.fromBase32(secret), timestamp: now(), window: 1 })
    return delta === null ? undefined : TOTP.counter({ period: shape.period, timestamp: now() }) + delta
  }

  /** Consumes a code in one statement: of two concurrent requests one succeeds, and no code works twice. */
  async function useCode(transaction: Database, userId: number, token: string): Promise<boolean> {
    const row = await transaction
      .selectFrom('two_factor')
      .select('secret')
      .where('user_id', '=', userId)
      .where('is_on', '=', 1)
      .executeTakeFirst()
    const step = row && stepOf(row.secret, token)
    if (step === undefined) return false
    const { numUpdatedRows } = await transaction
      .updateTable('two_factor')
      .set({ last_step: step })
      .where('user_id', '=', userId)
      .where('is_on', '=', 1)
      .where('secret', '=', row?.secret ?? '')
      .where('last_step', '<', step)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  async function useRecoveryCode(transaction: Database, userId: number, typed: string): Promise<boolean> {
    const { numDeletedRows } = await transaction
      .deleteFrom('recovery_codes')
      .where('user_id', '=', userId)
      .where('hash', '=', hashToken(normalizeUserCode(typed)))
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  /** Replaces all recovery codes. */
  async function replaceRecoveryCodes(transaction: Transaction, userId: number): Promise<string[]> {
    const codes = Array.from({ length: limits.recoveryCodes }, generateUserCode)
    await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
    await transaction
      .insertInto('recovery_codes')
      .values(codes.map((code) => ({ user_id: userId, hash: hashToken(normalizeUserCode(code)) })))
      .execute()
    return codes
  }

  /** Consumes an attempt before the code is checked, and refunds it when `work` succeeds. */
  async function rateLimited<T>({ userId, ...from }: OtpSubject, token: string, work: () => Promise<T>): Promise<T> {
    const all = [
      { key: `otp ${userId} ${sourceKey(from)}`, max: limits.loginAttempts },
      {
        key: `otp ${userId}${from.nodeId === undefined ? '' : ` by node ${from.nodeId}`}`,
        max: limits.otpAttemptsPerAccount,
      },
    ]
    await limiter.consume(all)
    if (isAuthenticatorCode(token)) await countConsecutive(userId)
    const done = await work().catch(async (error: unknown) => {
      if (error instanceof Refusal && error.code === 'ErrInvalidCredentials') await mailWrongCodes(userId)
      throw error
    })
    await limiter.refund(all)
    return done
  }

  /**
   * Counts wrong codes in a row before a code is checked, without time limit; a right one resets the count. Recovery
   * codes are too long to guess, so they still work when the limit is reached.
   */
  async function countConsecutive(userId: number): Promise<void> {
    const { numUpdatedRows } = await db
      .updateTable('two_factor')
      .set((row) => ({ wrong_codes: row('wrong_codes', '+', 1) }))
      .where('user_id', '=', userId)
      .where('is_on', '=', 1)
      .where('wrong_codes', '<', limits.otpWrongToLock)
      .executeTakeFirst()
    if (numUpdatedRows === 0n && (await enabledAt(userId)) !== undefined) throw new Refusal('ErrOtpLocked')
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
    if (!row || row.wrong_codes < limits.otpWrongToMail) return
    const kind = row.wrong_codes >= limits.otpWrongToLock ? 'otpLocked' : 'otpWrongCodes'
    if (!(await limiter.claimOnce(`mail ${kind} ${userId}`, dayMs))) return
    await mail.queue(db, kind, { to: row.email, person: userId }, {})
  }

  /** @throws Refusal when it is neither a valid unused code nor an unused recovery code */
  async function consume(transaction: Database, userId: number, token: string): Promise<void> {
    const typed = token.replace(/\s/g, '')
    const isGood = isAuthenticatorCode(token)
      ? await useCode(transaction, userId, typed)
      : await useRecoveryCode(transaction, userId, typed)
    if (!isGood) throw new Refusal('ErrInvalidCredentials')
    await transaction.updateTable('two_factor').set({ wrong_codes: 0 }).where('user_id', '=', userId).execute()
  }

  /** When two-factor was enabled, in epoch milliseconds; `undefined` when it is disabled. */
  async function enabledAt(userId: number, transaction: Database = db): Promise<number | undefined> {
    const row = await transaction
      .selectFrom('two_factor')
      .select('created_at')
      .where('user_id', '=', userId)
      .where('is_on', '=', 1)
      .executeTakeFirst()
    return row?.created_at
  }

  return {
    enabledAt,

    isOn: async (userId: number, transaction?: Database): Promise<boolean> =>
      (await enabledAt(userId, transaction)) !== undefined,

    async recoveryCodesLeft(userId: number): Promise<number> {
      const { left } = await db
        .selectFrom('recovery_codes')
        .select(({ fn }) => fn.countAll<number | bigint | string>().as('left'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
      return Number(left)
    },

    /** Starts an enrolment with a new secret, which replaces one that was not confirmed. */
    async start(userId: number, account: string, audit: AuditContext): Promise<{ secret: string; img: string }> {
      const secret = new Secret({ size: secretBytes }).base32
      await auditedTransaction(audit, db, async (transaction) => {
        await lockUser(transaction, userId)
        await transaction.deleteFrom('two_factor').where('user_id', '=', userId).where('is_on', '=', 0).execute()
        const existing = await transaction
          .selectFrom('two_factor')
          .select('user_id')
          .where('user_id', '=', userId)
          .executeTakeFirst()
        if (existing) throw new Refusal('ErrOtpEnabled')
        const row = { user_id: userId, secret, is_on: 0, last_step: 0, created_at: now() }
        await transaction.insertInto('two_factor').values(row).execute()
      })
      const totp = new TOTP({ ...shape, issuer: await issuer(), label: account, secret: Secret.fromBase32(secret) })
      return { secret, img: await toDataURL(totp.toString(), { width: qrPixels, margin: 2 }) }
    },

    /** Confirms the enrolment with a code of the new secret; `inTransaction` runs in the same transaction. */
    confirm: (
      prover: OtpSubject,
      token: string,
      audit: AuditContext,
      also: (transaction: Transaction) => Promise<void>,
    ): Promise<string[]> =>
      rateLimited(prover, token, () =>
        auditedTransaction(audit, db, async (transaction) => {
          const { userId } = prover
          await lockUser(transaction, userId)
          const row = await transaction
            .selectFrom('two_factor')
            .selectAll()
            .where('user_id', '=', userId)
            .executeTakeFirst()
          if (!row) throw new Refusal('ErrInvalidTokenState')
          if (row.is_on === 1) throw new Refusal('ErrOtpEnabled')
          const step = stepOf(row.secret, token.replace(/\s/g, ''))
          if (step === undefined) throw new Refusal('ErrInvalidCredentials')
          const { numUpdatedRows } = await transaction
            .updateTable('two_factor')
            .set({ is_on: 1, last_step: step, created_at: now() })
            .where('user_id', '=', userId)
            .where('secret', '=', row.secret)
            .where('is_on', '=', 0)
            .executeTakeFirst()
          if (numUpdatedRows === 0n) throw new Refusal('ErrInvalidTokenState')
          await also(transaction)
          return replaceRecoveryCodes(transaction, userId)
        }),
      ),

    /**
     * Consumes a code and runs `inTransaction` in one transaction.
     * @throws Refusal when the code is wrong
     */
    verifyThen: <T>(
      prover: OtpSubject,
      token: string,
      audit: AuditContext,
      also: (transaction: Transaction, user: UserRow | undefined) => Promise<T>,
    ): Promise<T> =>
      rateLimited(prover, token, () =>
        auditedTransaction(audit, db, async (transaction) => {
          const user = await lockUser(transaction, prover.userId)
          await consume(transaction, prover.userId, token)
          return also(transaction, user)
        }),
      ),

    renewRecoveryCodes: (prover: OtpSubject, token: string, audit: AuditContext): Promise<string[]> =>
      rateLimited(prover, token, () =>
        auditedTransaction(audit, db, async (transaction) => {
          await lockUser(transaction, prover.userId)
          await consume(transaction, prover.userId, token)
          return replaceRecoveryCodes(transaction, prover.userId)
        }),
      ),

    /** Disables two-factor with a code; `inTransaction` runs in the same transaction. */
    disable: (
      prover: OtpSubject,
      token: string,
      audit: AuditContext,
      also: (transaction: Transaction) => Promise<void>,
    ): Promise<void> =>
      rateLimited(prover, token, () =>
        auditedTransaction(audit, db, async (transaction) => {
          await lockUser(transaction, prover.userId)
          await consume(transaction, prover.userId, token)
          await removeTwoFactor(transaction, prover.userId)
          await also(transaction)
        }),
      ),
  }
}

/** Six digits; anything else is treated as a recovery code. */
function isAuthenticatorCode(token: string): boolean {
  return /^\d{6}$/.test(token.replace(/\s/g, ''))
}

/** Deletes secret and recovery codes of a user. */
export async function removeTwoFactor(transaction: Database, userId: number): Promise<void> {
  await transaction.deleteFrom('two_factor').where('user_id', '=', userId).execute()
  await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}
