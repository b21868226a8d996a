import type { LoginResult } from '@innkeeper/contract/accounts/auth'
import type { PanelScope } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import type { Language } from '@innkeeper/contract/text/languages'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { hasOnlySomeServers } from '../access/client-limits.ts'
import type { Principal, UserPrincipal } from '../access/principal.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { addUser, lockUser } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { EmailConfirmation } from './email-confirmation.ts'
import type { PasswordVerifier } from './password-verifier.ts'
import type { Passwords } from './passwords.ts'
import type { PendingLogins } from './pending-logins.ts'
import type { SessionClient, SessionsService } from './sessions.ts'
import { effectiveScopes, getLoginResult, type Login, type SignInService } from './sign-in.ts'
import type { TwoFactorService } from './two-factor.ts'

/** Registrations per address and window. */
export const maxRegistrations = 10

interface Deps {
  readonly db: Database
  readonly sessions: SessionsService
  readonly signIns: SignInService
  readonly limiter: RateLimiter
  readonly passwords: Passwords
  readonly passwordVerifier: PasswordVerifier
  readonly pending: PendingLogins
  readonly twoFactor: Pick<TwoFactorService, 'attempt'>
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

export type AuthService = ReturnType<typeof authService>

/** Login and registration. */
export function authService(deps: Deps) {
  const { db, sessions, signIns, limiter, passwords, passwordVerifier, pending, twoFactor, settings, now } = deps

  return {
    /** The effective scopes of a principal. */
    async readScopes({ userId, scopes, client }: Principal): Promise<readonly PanelScope[]> {
      return client && hasOnlySomeServers(client.limits) ? scopes : effectiveScopes(db, userId, scopes)
    },

    async login(email: string, password: string, from: SessionClient, audit: AuditContext): Promise<Login> {
      const user = await passwordVerifier.verify(email, password, { address: from.address })
      const login = await signIns.signIn({ by: 'password', from, audit }, async (transaction) => {
        // The password may have been changed during verification, or two-factor enabled.
        const { password: current } = (await lockUser(transaction, user.id)) ?? {}
        if (current !== user.password) throw new Refusal('ErrInvalidCredentials')
        return user
      })
      // A pending login still counts as an attempt: otherwise the password would allow unlimited attempts at the code.
      if (login.type === 'open') await passwordVerifier.resetAttempts(email, { address: from.address })
      return login
    },

    /** Completes a pending login with the two-factor code. */
    async otp(token: string | undefined, code: string, from: SessionClient, audit: AuditContext): Promise<LoginResult> {
      if (token === undefined) throw new Refusal('ErrInvalidSession')
      const { userId, method: by } = await pending.consumeAttempt(token)
      const [loggedIn, email] = await twoFactor.attempt({ userId, address: from.address }, code, async (consume) => {
        let email = ''
        const loggedIn = await signIns.openSession({ by, from, audit }, async (transaction) => {
          const user = await consume(transaction)
          await pending.complete(token, transaction)
          if (!user) throw new Refusal('ErrSessionExpired')
          email = user.email
          return user
        })
        return [loggedIn, email] as const
      })
      await passwordVerifier.resetAttempts(email, { address: from.address })
      return loggedIn
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
      return signIns.openSession({ by: 'registration', from, audit }, async (transaction) => ({
        id: await addRegistered(transaction, account, deps, now()),
        username: who.username,
      }))
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
