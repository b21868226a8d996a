import type { addPasskey, NewPasskey, Passkey, startPasskey } from '@innkeeper/contract/accounts/passkeys'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { RecentLogin, UserPrincipal } from '../access/principal.ts'
import { replaceRecoveryCodes } from '../auth/otp-codes.ts'
import { credentialOf, passkeysOf, passkeyView } from '../auth/passkey-rows.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { removeUnusedRecoveryCodes, type TwoFactorService } from '../auth/two-factor.ts'
import { insertIfAbsent } from '../database/rows.ts'
import type { Database, PasskeyRow, Transaction } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import type { SettingsService } from '../settings/settings.ts'
import { removeKeysAndClients } from '../users/keys-and-clients.ts'
import { challengeLifetimeMs } from './challenges.ts'
import { algorithms, fromBase64Url, type PasskeyVerification, toUserHandle, webAuthn } from './verification.ts'

/** Passkeys per user. */
export const maxPasskeys = 20

interface Deps {
  readonly db: Database
  readonly verification: PasskeyVerification
  readonly settings: Pick<SettingsService, 'companyName'>
  readonly sessions: Pick<SessionsService, 'endOthers' | 'invalidate'>
  readonly twoFactor: Pick<TwoFactorService, 'isOn'>
  readonly mail: Pick<MailService, 'queue'>
  readonly now: () => number
}

export type PasskeysService = ReturnType<typeof passkeysService>

/**
 * The passkeys of users. Each needs the user's presence and verification (PIN, fingerprint) and is stored with its user, so
 * that it is a way to sign in without a user name and counts as two factors.
 */
export function passkeysService({ db, verification, settings, sessions, twoFactor, mail, now }: Deps) {
  return {
    list: async ({ userId }: UserPrincipal): Promise<Passkey[]> => (await passkeysOf(db, userId)).map(passkeyView),

    async start({ userId, username, email }: UserPrincipal): Promise<ResponseOf<typeof startPasskey>> {
      const { rpID } = await verification.requireSite()
      const { generateRegistrationOptions } = await webAuthn()
      const options = await generateRegistrationOptions({
        rpName: await settings.companyName(),
        rpID,
        userID: fromBase64Url(toUserHandle(userId)),
        userName: email,
        userDisplayName: username,
        challenge: await verification.challenges.issue('add', userId),
        timeout: challengeLifetimeMs,
        attestationType: 'none',
        excludeCredentials: (await passkeysOf(db, userId)).map(credentialOf),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: algorithms,
      })
      return options as ResponseOf<typeof startPasskey>
    },

    async add(
      principal: UserPrincipal,
      { name, passkey, keepSshKeys = false }: { name: string; passkey: NewPasskey; keepSshKeys?: boolean | undefined },
      recentLogin: RecentLogin,
      audit: AuditContext,
    ): Promise<ResponseOf<typeof addPasskey>> {
      const { userId, sessionId } = principal
      const { row, challenge } = await verification.verifyNew(passkey)
      const added = { ...row, user_id: userId, name, created_at: now(), used_at: null }
      const recoveryCodes = await auditedTransaction(audit, db, async (transaction) => {
        const user = await recentLogin(transaction)
        await verification.challenges.consume(transaction, challenge, 'add', userId)
        if ((await passkeysOf(transaction, userId)).length >= maxPasskeys)
          throw new Refusal('ErrTooMany', { max: maxPasskeys })
        const isFirst = !(await twoFactor.isOn(userId, transaction))
        if (!(await insertIfAbsent(transaction, 'passkeys', added))) throw new Refusal('ErrPasskeyKnown')
        await sessions.endOthers(userId, sessionId, transaction)
        await mail.queue(transaction, 'passkeyAdded', { to: user.email, userId, by: userId }, { passkey: name })
        audit.setSubject({ target: name })
        if (!isFirst) return undefined
        // They need no second factor.
        await removeKeysAndClients(transaction, mail, user, { sshKeys: !keepSshKeys, clients: false })
        return replaceRecoveryCodes(transaction, userId)
      })
      sessions.invalidate(userId)
      return { passkey: passkeyView(added), ...(recoveryCodes && { recoveryCodes }) }
    },

    rename: ({ userId }: UserPrincipal, id: string, name: string, audit: AuditContext): Promise<void> =>
      auditedTransaction(audit, db, async (transaction) => {
        await requirePasskey(transaction, userId, id)
        await transaction.updateTable('passkeys').set({ name }).where('id', '=', id).execute()
        audit.setSubject({ target: name })
      }),

    async remove(
      { userId, sessionId }: UserPrincipal,
      id: string,
      recentLogin: RecentLogin,
      audit: AuditContext,
    ): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const user = await recentLogin(transaction)
        const { name } = await requirePasskey(transaction, userId, id)
        await transaction.deleteFrom('passkeys').where('id', '=', id).execute()
        await removeUnusedRecoveryCodes(transaction, userId)
        await sessions.endOthers(userId, sessionId, transaction)
        await mail.queue(transaction, 'passkeyRemoved', { to: user.email, userId, by: userId }, { passkey: name })
        audit.setSubject({ target: name })
      })
      sessions.invalidate(userId)
    },
  }
}

async function requirePasskey(transaction: Transaction, userId: number, id: string): Promise<PasskeyRow> {
  const query = transaction.selectFrom('passkeys').selectAll().where('id', '=', id).where('user_id', '=', userId)
  const row = await query.executeTakeFirst()
  if (!row) throw new Refusal('ErrNotFound')
  return row
}
