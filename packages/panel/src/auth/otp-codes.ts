import { Refusal } from '@innkeeper/contract/errors/refusals'
import { Secret, TOTP } from 'otpauth'
import { affectsRows } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { hashToken } from '../security/secrets.ts'
import { generateUserCode, normalizeUserCode } from './user-code.ts'

export const recoveryCodeCount = 10

/** Parameters that all authenticator apps support. */
const totpParameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const
const secretBytes = 20

/** A new secret in Base32. */
export const newOtpSecret = (): string => new Secret({ size: secretBytes }).base32

/** The `otpauth:` URL of a secret, which authenticator apps read from a QR code. */
export function otpUrl(secret: string, issuer: string, account: string): string {
  return new TOTP({ ...totpParameters, issuer, label: account, secret: Secret.fromBase32(secret) }).toString()
}

/** The time step of a code, within one step of the current one; `undefined` when the code is wrong. */
export function findOtpStep(secret: string, token: string, timestamp: number): number | undefined {
  const delta = TOTP.validate({ ...totpParameters, token, secret: Secret.fromBase32(secret), timestamp, window: 1 })
  return delta === null ? undefined : TOTP.counter({ period: totpParameters.period, timestamp }) + delta
}

/** When two-factor was enabled, in epoch milliseconds; `undefined` when it is disabled. */
export async function otpEnabledAt(on: Database, userId: number): Promise<number | undefined> {
  const row = await on
    .selectFrom('two_factor')
    .select('created_at')
    .where('user_id', '=', userId)
    .where('is_on', '=', 1)
    .executeTakeFirst()
  return row?.created_at
}

/** Six digits; anything else is treated as a recovery code. */
export function isOtpCode(token: string): boolean {
  return /^\d{6}$/.test(token.replace(/\s/g, ''))
}

/**
 * Consumes a code of the authenticator, or a recovery code.
 * @throws Refusal when it is neither a valid unused code nor an unused recovery code
 */
export async function consumeOtpCode(
  transaction: Transaction,
  userId: number,
  token: string,
  now: number,
): Promise<void> {
  const code = token.replace(/\s/g, '')
  const isGood = isOtpCode(token)
    ? await useCode(transaction, userId, code, now)
    : await useRecoveryCode(transaction, userId, code)
  if (!isGood) throw new Refusal('ErrInvalidCredentials')
  await transaction.updateTable('two_factor').set({ wrong_codes: 0 }).where('user_id', '=', userId).execute()
}

/** Replaces all recovery codes. */
export async function replaceRecoveryCodes(transaction: Transaction, userId: number): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, generateUserCode)
  await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await transaction
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, hash: hashToken(normalizeUserCode(code)) })))
    .execute()
  return codes
}

/** Consumes a code in one statement: of two concurrent requests one succeeds, and no code works twice. */
async function useCode(transaction: Transaction, userId: number, token: string, now: number): Promise<boolean> {
  const row = await transaction
    .selectFrom('two_factor')
    .select('secret')
    .where('user_id', '=', userId)
    .where('is_on', '=', 1)
    .executeTakeFirst()
  const step = row && findOtpStep(row.secret, token, now)
  if (step === undefined) return false
  return await affectsRows(
    transaction
      .updateTable('two_factor')
      .set({ last_step: step })
      .where('user_id', '=', userId)
      .where('is_on', '=', 1)
      .where('secret', '=', row?.secret ?? '')
      .where('last_step', '<', step),
  )
}

async function useRecoveryCode(transaction: Transaction, userId: number, code: string): Promise<boolean> {
  return await affectsRows(
    transaction
      .deleteFrom('recovery_codes')
      .where('user_id', '=', userId)
      .where('hash', '=', hashToken(normalizeUserCode(code))),
  )
}
