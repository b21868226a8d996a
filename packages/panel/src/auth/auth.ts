import type { LoginResult } from '@innkeeper/contract/accounts/auth'
import type { PanelScope } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import type { Language } from '@innkeeper/contract/text/languages'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Principal, UserPrincipal } from '../access/principal.ts'
import { runTransaction } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { addUser, lockUser } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { EmailConfirmation } from './email-confirmation.ts'
import { effectiveScopes, getLoginResult, type OpenSessionDeps, openSession } from './open-session.ts'
import type { PasswordVerifier } from './password-verifier.ts'
import type { Passwords } from './passwords.ts'
import type { PendingLogins } from './pending-logins.ts'
import type { SessionClient, SessionsService } from './sessions.ts'
import type { TwoFactorService } from './two-factor.ts'

/** Registrations per address and window. */
export const maxRegistrations = 10

interface Deps extends OpenSessionDeps {
  readonly db: Database
  readonly sessions: SessionsService
  readonly limiter: RateLimiter
  readonly passwords: Passwords
  readonly passwordVerifier: PasswordVerifier
  readonly pending: PendingLogins
  readonly twoFactor: Pick<TwoFactorService, 'isOn' | 'verifyThen'>
  readonly settings: Pick<SettingsService, 'current'>
  readonly mail: Pick<MailService, 'queue'>
  readonly emailConfirmation: Pick<EmailConfirmation, 'send'>
  readonly now: () => number
}

/** A new account: the first administrator, or a registration. */
export interface NewAccount {
  readonly username: string
  readonly email: string
  readonly password: string
  /** The language of the browser. */
  readonly language?: Language | undefined
}

/** Result of a login: a session, or a pending login that needs the user's two-factor code. */
export type Login =
  | { readonly type: 'open'; readonly loggedIn: LoginResult }
  | { readonly type: 'pending'; readonly token: string }

export type AuthService = ReturnType<typeof authService>

/** Login and registration. */
export function authService(deps: Deps) {
  const { db, sessions, limiter, passwords, passwordVerifier, pending, twoFactor, settings, now } = deps

  return {
    /** The effective scopes of a principal. */
    async readScopes({ userId, scopes, client }: Principal): Promise<readonly PanelScope[]> {
      return client?.restrictedTo ? [] : effectiveScopes(db, userId, scopes)
    },

    async login(email: string, password: string, from: SessionClient, audit: AuditContext): Promise<Login> {
      const user = await passwordVerifier.verify(email, password, { address: from.address })

      const opened = await runTransaction(db, async (transaction) => {
        // The password may have been changed during verification, or two-factor enabled.
        const { password: current } = (await lockUser(transaction, user.id)) ?? {}
        if (current !== user.password) throw new Refusal('ErrInvalidCredentials')
        if (await twoFactor.isOn(user.id, transaction)) {
          // Not logged in yet: the entry is recorded with the code.
          audit.setActor(user)
          audit.skip()
          return { token: await pending.open(user.id, transaction) }
        }
        const session = await openSession(deps, transaction, user, from, audit)
        await audit.record(transaction)
        return { session }
      })
      // A pending login still counts as an attempt: otherwise the password would allow unlimited attempts at the code.
      if (opened.session === undefined) return { type: 'pending', token: opened.token }
      await passwordVerifier.resetAttempts(email, { address: from.address })
      return { type: 'open', loggedIn: await getLoginResult(db, user.id, opened.session) }
    },

    /** Completes a pending login with the two-factor code. */
    async otp(token: string | undefined, code: string, from: SessionClient, audit: AuditContext): Promise<LoginResult> {
      if (token === undefined) throw new Refusal('ErrInvalidSession')
      const userId = await pending.consumeAttempt(token)
      const loginAttempt = { userId, address: from.address }
      const [session, user] = await twoFactor.verifyThen(loginAttempt, code, audit, async (transaction, user) => {
        await pending.complete(token, transaction)
        if (!user) throw new Refusal('ErrSessionExpired')
        return [await openSession(deps, transaction, user, from, audit), user] as const
      })
      await passwordVerifier.resetAttempts(user.email, { address: from.address })
      return getLoginResult(db, userId, session)
    },

    /** Extends the session and returns its current scopes. */
    async reauth(principal: UserPrincipal, session: string): Promise<LoginResult> {
      await sessions.extend(principal.sessionId)
      return getLoginResult(db, principal.userId, session)
    },

    async logout({ userId, sessionId }: UserPrincipal, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, (transaction) => sessions.end(userId, sessionId, transaction))
      sessions.invalidate(userId)
    },

    /** Creates an account without permissions, if registration is enabled. */
    async register(who: NewAccount, from: SessionClient, audit: AuditContext): Promise<LoginResult> {
      if (!(await settings.current())['panel.registrationEnabled']) throw new Refusal('ErrNotFound')
      await limiter.consume([{ key: `register ${clientSubnet(from.address)}`, max: maxRegistrations }])
      const account = { ...who, password: await passwords.hash(who.password) }
      const [id, session] = await auditedTransaction(audit, db, async (transaction) => {
        const added = await addRegistered(transaction, account, deps, now())
        const user = { id: added, username: who.username }
        return [added, await openSession(deps, transaction, user, from, audit)] as const
      })
      return getLoginResult(db, id, session)
    },

    /** Opens a session for the user of an account that was just created, in a transaction of its own. */
    async openSession(
      user: Pick<UserRow, 'id' | 'username'>,
      from: SessionClient,
      audit: AuditContext,
    ): Promise<LoginResult> {
      const open = (transaction: Transaction) => openSession(deps, transaction, user, from, audit)
      return getLoginResult(db, user.id, await runTransaction(db, open))
    },
  }
}

/** Adds the account, whose password is the hash, and queues the mail about it. */
async function addRegistered(
  transaction: Transaction,
  account: NewAccount,
  { mail, emailConfirmation }: Pick<Deps, 'mail' | 'emailConfirmation'>,
  now: number,
): Promise<number> {
  const id = await addUser(transaction, { ...account, isEmailConfirmed: false, scopes: [] }, now)
  // Without the master URL there is no confirmation link; the mail about the new account is sent anyway.
  if (!(await emailConfirmation.send(transaction, { id, ...account }))) {
    await mail.queue(transaction, 'accountCreation', { to: account.email }, { username: account.username })
  }
  return id
}
