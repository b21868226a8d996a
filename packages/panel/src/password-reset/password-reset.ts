import type { Language } from '@innkeeper/contract/languages'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import { type Acting, enact } from '../access/acting.ts'
import type { Passwords } from '../auth/passwords.ts'
import { digestOf, newToken } from '../auth/secrets.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { neighbourhoodOf, type TriesService } from '../auth/tries.ts'
import { alone, atomically } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import { markEmailConfirmed } from '../users/email-confirmation.ts'
import { removeKeysAndClients } from '../users/keys-and-clients.ts'
import { changeOfRights, lockUser, userByEmail } from '../users/users.ts'

interface Needs {
  readonly db: Database
  readonly mail: Pick<MailService, 'expectReady' | 'queue'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly sessions: Pick<SessionsService, 'endOthers' | 'forget'>
  readonly tries: Pick<TriesService, 'count' | 'takeBack'>
  readonly log: Logger
  readonly now: () => number
}

/** So many links of one account are good at a time; who asks more often gets no further mail. */
const linksAtOnce = 3

export interface PasswordReset {
  /**
   * Sends a link to the account of the address, if there is one, in the language of whoever asks for people who chose
   * none. Whether there is one shows in neither answer nor time.
   */
  ask(email: string, address: string, language?: Language): Promise<void>
  /** Sets a password with the token of a link, once. */
  set(token: string, password: string, address: string, acting: Acting): Promise<void>
  /** Ends when everything that was asked for is written. */
  settled(): Promise<void>
}

/** New passwords for those who forgot theirs, by mail. */
export function passwordReset({ db, mail, passwords, sessions, tries, log, now }: Needs): PasswordReset {
  const underway = new Set<Promise<void>>()

  async function send(email: string, language: Language | undefined): Promise<void> {
    await atomically(db, async (transaction) => {
      const [at, token] = [now(), newToken()]
      await transaction.deleteFrom('password_resets').where('expires_at', '<=', at).execute()
      const user = await userByEmail(transaction, email)
      if (!user) return
      // One after the other: many at once are counted like few.
      await lockUser(transaction, user.id)
      const live = await transaction
        .selectFrom('password_resets')
        .select('token')
        .where('user_id', '=', user.id)
        .execute()
      if (live.length >= linksAtOnce) return
      const expires = at + limits.passwordResetLifeMs
      const until = new Date(expires).toISOString()
      await transaction
        .insertInto('password_resets')
        .values({ token: digestOf(token), user_id: user.id, created_at: at, expires_at: expires })
        .execute()
      await mail.queue(transaction, 'passwordReset', { to: user.email, language }, { token, until })
    })
  }

  return {
    async ask(email, address, language) {
      await mail.expectReady()
      await tries.count([{ what: `forgot ${neighbourhoodOf(address)}`, most: limits.loginAttempts }])
      // Not waited for: what takes longer when there is an account must not show.
      const sending = new Promise<void>((resolve) => setImmediate(resolve))
        .then(() => send(email, language))
        .catch((error: unknown) => log.error({ err: error }, 'a link for a forgotten password could not be sent'))
        .finally(() => underway.delete(sending))
      underway.add(sending)
    },

    async set(token, typed, address, acting) {
      const trying = { what: `reset ${neighbourhoodOf(address)}`, most: limits.loginAttempts }
      await tries.count([trying])
      const id = digestOf(token)
      const find = (on: Database) =>
        on
          .selectFrom('password_resets')
          .innerJoin('users', 'users.id', 'password_resets.user_id')
          .select(['users.id', 'users.username', 'users.email'])
          .where('password_resets.token', '=', id)
          .where('password_resets.expires_at', '>', now())
          .executeTakeFirst()
      // A stranger does not make us hash.
      if (!(await find(db))) throw new Refusal('ErrTokenInvalid')
      const password = await passwords.hash(typed)

      const user = await enact(acting, db, async (transaction) => {
        await alone(transaction, changeOfRights)
        const user = await find(transaction)
        // A login with the old password either is done, and ends with the others, or sees the new one.
        if (user) await lockUser(transaction, user.id)
        // Used up in one statement: of two at once, one finds nothing to delete.
        const { numDeletedRows } = await transaction
          .deleteFrom('password_resets')
          .where('token', '=', id)
          .executeTakeFirst()
        if (!user || numDeletedRows === 0n) throw new Refusal('ErrTokenInvalid')
        await transaction.deleteFrom('password_resets').where('user_id', '=', user.id).execute()
        await transaction.updateTable('users').set({ password }).where('id', '=', user.id).execute()
        // The link was sent to the address: whoever used it owns it.
        await markEmailConfirmed(transaction, user, now())
        await sessions.endOthers(user.id, undefined, transaction)
        await removeKeysAndClients(transaction, mail, user)
        await mail.queue(transaction, 'passwordChanged', { to: user.email }, {})
        acting.by(user)
        return user
      })
      sessions.forget(user.id)
      await tries.takeBack([trying])
    },

    async settled() {
      await Promise.all(underway)
    },
  }
}
