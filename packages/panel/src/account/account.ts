import type { getOtp, SessionView } from '@innkeeper/contract/account'
import type { AnswerOf } from '@innkeeper/contract/call'
import { isLanguage, languageSetting } from '@innkeeper/contract/languages'
import { limits } from '@innkeeper/contract/limits'
import type { MailKind } from '@innkeeper/contract/mail'
import { Refusal } from '@innkeeper/contract/refusals'
import { type Acting, enact } from '../access/acting.ts'
import type { Caller } from '../access/caller.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { neighbourhoodOf, type TriesService } from '../auth/tries.ts'
import type { TwoFactorService } from '../auth/two-factor.ts'
import { insertIfAbsent } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import { changeUser, lockUser, userById } from '../users/users.ts'

interface Needs {
  readonly db: Database
  readonly sessions: SessionsService
  readonly passwords: Passwords
  readonly twoFactor: TwoFactorService
  readonly tries: TriesService
  readonly mail: Pick<MailService, 'queue'>
}

/** What a person changes of themselves; `password` is the one that they have. */
interface Change {
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly password: string
  readonly newPassword?: string | undefined
}

export type AccountService = ReturnType<typeof accountService>

/** What people change and keep for themselves. */
export function accountService({ db, sessions, passwords, twoFactor, tries, mail }: Needs) {
  const proverOf = ({ userId }: Caller, address: string) => ({ userId, address })

  /** What follows a change of two-factor, in its transaction: every other session ends, and the person is told. */
  const afterTwoFactor =
    (caller: Caller, kind: Extract<MailKind, 'otpEnabled' | 'otpDisabled'>) =>
    async (transaction: Transaction): Promise<void> => {
      await sessions.endOthers(caller.userId, caller.sessionId, transaction)
      await mail.queue(transaction, kind, { to: caller.email, by: caller.userId }, {})
    }

  return {
    /** Changes name, address or password; the current password is judged first, and its tries are counted. */
    async change(
      caller: Caller,
      { username, email, password, newPassword }: Change,
      address: string,
      acting: Acting,
    ): Promise<void> {
      const { userId } = caller
      const trying = { what: `password ${userId} ${neighbourhoodOf(address)}`, most: limits.loginTries }
      await tries.count([trying])
      const user = await userById(db, userId)
      if (!(await passwords.matches(password, user?.password)) || !user) throw new Refusal('ErrInvalidCredentials')
      await tries.forget(trying.what)

      const hash = newPassword === undefined ? undefined : await passwords.hash(newPassword)
      await enact(acting, db, async (transaction) => {
        const now = await lockUser(transaction, userId)
        if (now?.password !== user.password) throw new Refusal('ErrInvalidCredentials')
        await changeUser(transaction, userId, { username, email, password: hash })
        const by = userId
        if (email !== undefined && email !== now.email) {
          await mail.queue(transaction, 'emailChanged', { to: now.email, person: userId, by }, { newEmail: email })
        }
        if (hash !== undefined) {
          await sessions.endOthers(userId, caller.sessionId, transaction)
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

    async otp({ userId }: Caller): Promise<AnswerOf<typeof getOtp>> {
      const since = await twoFactor.onSince(userId)
      if (since === undefined) return { otpEnabled: false }
      const enabledAt = new Date(since).toISOString()
      return { otpEnabled: true, enabledAt, recoveryCodesLeft: await twoFactor.recoveryCodesLeft(userId) }
    },

    startOtp: ({ userId, email }: Caller, acting: Acting): Promise<{ secret: string; img: string }> =>
      twoFactor.start(userId, email, acting),

    async confirmOtp(caller: Caller, token: string, address: string, acting: Acting): Promise<string[]> {
      const after = afterTwoFactor(caller, 'otpEnabled')
      const codes = await twoFactor.confirm(proverOf(caller, address), token, acting, after)
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
