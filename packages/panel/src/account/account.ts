import type { getOtp, SessionView } from '@innkeeper/contract/account'
import type { ResponseOf } from '@innkeeper/contract/endpoint'
import { isLanguage, languageSetting } from '@innkeeper/contract/languages'
import { limits } from '@innkeeper/contract/limits'
import type { MailKind } from '@innkeeper/contract/mail'
import type { Self } from '@innkeeper/contract/panel'
import { Refusal } from '@innkeeper/contract/refusals'
import { type Acting, enact } from '../access/acting.ts'
import type { Caller } from '../access/caller.ts'
import { expectCurrent } from '../access/versions.ts'
import type { CurrentPassword } from '../auth/current-password.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { SessionsService } from '../auth/sessions.ts'
import type { TwoFactorService } from '../auth/two-factor.ts'
import { insertIfAbsent } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import type { EmailConfirmation } from '../users/email-confirmation.ts'
import { removeKeysAndClients } from '../users/keys-and-clients.ts'
import { changeUser, identityOf, keyOf, lockUser, userById } from '../users/users.ts'

interface Needs {
  readonly db: Database
  readonly sessions: SessionsService
  readonly passwords: Pick<Passwords, 'hash'>
  readonly currentPassword: Pick<CurrentPassword, 'verify'>
  readonly twoFactor: TwoFactorService
  readonly mail: Pick<MailService, 'queue'>
  readonly emailConfirmation: Pick<EmailConfirmation, 'send'>
}

/** What a person changes of themselves; `password` is the one that they have. */
interface Change {
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly password: string
  readonly newPassword?: string | undefined
  /** What ends with the old password, beside other sessions. */
  readonly removeSshKeys?: boolean | undefined
  readonly removeClients?: boolean | undefined
}

export type AccountService = ReturnType<typeof accountService>

/** What people change and keep for themselves. */
export function accountService({
  db,
  sessions,
  passwords,
  currentPassword,
  twoFactor,
  mail,
  emailConfirmation,
}: Needs) {
  const proverOf = ({ userId }: Caller, address: string) => ({ userId, address })

  /** What follows a change of two-factor, in its transaction: every other session ends, and the person is told. */
  const afterTwoFactor =
    (caller: Caller, kind: Extract<MailKind, 'otpEnabled' | 'otpDisabled'>) =>
    async (transaction: Transaction): Promise<void> => {
      await sessions.endOthers(caller.userId, caller.sessionId, transaction)
      await mail.queue(transaction, kind, { to: caller.email, by: caller.userId }, {})
    }

  return {
    async self({ userId, username, email }: Caller): Promise<Self> {
      const user = await userById(db, userId)
      return { id: userId, username, email, emailConfirmed: (user?.email_confirmed_at ?? null) !== null }
    },

    /** Changes name, address or password; the current password is judged first, and its tries are counted. */
    async change(
      caller: Caller,
      { username, email, password, newPassword, removeSshKeys = false, removeClients = false }: Change,
      address: string,
      acting: Acting,
      seen?: string,
    ): Promise<void> {
      const { userId } = caller
      const user = await currentPassword.verify(userId, password, address)
      const hash = newPassword === undefined ? undefined : await passwords.hash(newPassword)
      await enact(acting, db, async (transaction) => {
        const now = await lockUser(transaction, userId)
        if (now?.password !== user.password) throw new Refusal('ErrInvalidCredentials')
        expectCurrent(seen, identityOf(now))
        const isOtherAddress = email !== undefined && keyOf(email) !== now.email_key
        const emailConfirmedAt = isOtherAddress ? null : undefined
        await changeUser(transaction, userId, { username, email, emailConfirmedAt, password: hash })
        const by = userId
        if (isOtherAddress) {
          await emailConfirmation.send(transaction, { id: userId, username: username ?? now.username, email }, by)
        }
        if (email !== undefined && email !== now.email) {
          await mail.queue(transaction, 'emailChanged', { to: now.email, person: userId, by }, { newEmail: email })
        }
        if (hash !== undefined) {
          await sessions.endOthers(userId, caller.sessionId, transaction)
          await removeKeysAndClients(transaction, mail, now, { sshKeys: removeSshKeys, clients: removeClients })
          await mail.queue(transaction, 'passwordChanged', { to: now.email, person: userId, by }, {})
        }
      })
      sessions.forget(userId)
    },

    sessions: (caller: Caller): Promise<SessionView[]> => sessions.list(caller),

    async endSession({ userId }: Caller, id: string, acting: Acting): Promise<void> {
      await enact(acting, db, async (transaction) => {
        if (!(await sessions.end(userId, id, transaction))) throw new Refusal('ErrNotFound')
      })
      sessions.forget(userId)
    },

    async endOtherSessions({ userId, sessionId }: Caller, acting: Acting): Promise<void> {
      await enact(acting, db, (transaction) => sessions.endOthers(userId, sessionId, transaction))
      sessions.forget(userId)
    },

    async otp({ userId }: Caller): Promise<ResponseOf<typeof getOtp>> {
      const since = await twoFactor.onSince(userId)
      if (since === undefined) return { otpEnabled: false }
      const enabledAt = new Date(since).toISOString()
      return { otpEnabled: true, enabledAt, recoveryCodesLeft: await twoFactor.recoveryCodesLeft(userId) }
    },

    startOtp: ({ userId, email }: Caller, acting: Acting): Promise<{ secret: string; img: string }> =>
      twoFactor.start(userId, email, acting),

    /** SSH keys from before let in without a code, and end unless the person keeps them. */
    async confirmOtp(
      caller: Caller,
      { token, keepSshKeys = false }: { readonly token: string; readonly keepSshKeys?: boolean | undefined },
      address: string,
      acting: Acting,
    ): Promise<string[]> {
      const after = afterTwoFactor(caller, 'otpEnabled')
      const codes = await twoFactor.confirm(proverOf(caller, address), token, acting, async (transaction) => {
        await after(transaction)
        const { userId: id, email } = caller
        await removeKeysAndClients(transaction, mail, { id, email }, { sshKeys: !keepSshKeys, clients: false })
      })
      sessions.forget(caller.userId)
      return codes
    },

    renewRecoveryCodes: (caller: Caller, token: string, address: string, acting: Acting): Promise<string[]> =>
      twoFactor.renewRecoveryCodes(proverOf(caller, address), token, acting),

    async disableOtp(caller: Caller, token: string, address: string, acting: Acting): Promise<void> {
      await twoFactor.disable(proverOf(caller, address), token, acting, afterTwoFactor(caller, 'otpDisabled'))
      sessions.forget(caller.userId)
    },

    async settings(caller: Caller): Promise<{ key: string; value: string }[]> {
      return db
        .selectFrom('user_settings')
        .select(['key', 'value'])
        .where('user_id', '=', caller.userId)
        .orderBy('key')
        .execute()
    },

    async keep(caller: Caller, key: string, value: string): Promise<void> {
      // The one that is read here: what it says decides the language of mails.
      if (key === languageSetting && !isLanguage(value)) throw new Refusal('ErrFieldInvalid', { field: 'value' })
      const replace = async () => {
        const { numUpdatedRows } = await db
          .updateTable('user_settings')
          .set({ value })
          .where('user_id', '=', caller.userId)
          .where('key', '=', key)
          .executeTakeFirst()
        return numUpdatedRows > 0n
      }
      if (await replace()) return
      const { held } = await db
        .selectFrom('user_settings')
        .select(({ fn }) => fn.countAll<number | bigint | string>().as('held'))
        .where('user_id', '=', caller.userId)
        .executeTakeFirstOrThrow()
      if (Number(held) >= limits.userSettings) {
        throw new Refusal('ErrFieldTooLarge', { field: 'settings', max: limits.userSettings })
      }
      const first = { user_id: caller.userId, key, value }
      const isFirst = await insertIfAbsent(db, 'user_settings', first)
      if (!isFirst) await replace()
    },
  }
}
