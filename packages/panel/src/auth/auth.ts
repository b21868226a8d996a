import type { LoginResult } from '@innkeeper/contract/auth'
import { clientSubnet } from '@innkeeper/contract/client-subnet'
import type { Language } from '@innkeeper/contract/languages'
import { canSeeAllServers, type PanelScope, panelScopes } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Principal, UserPrincipal } from '../access/principal.ts'
import type { AlertsService } from '../alerts/alerts.ts'
import { runTransaction } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { EmailConfirmation } from '../users/email-confirmation.ts'
import { addUser, hasServers, lockUser, scopesOf } from '../users/users.ts'
import { isNewLocation } from './new-location.ts'
import type { PasswordVerifier } from './password-verifier.ts'
import type { Passwords } from './passwords.ts'
import type { PendingLogins } from './pending-logins.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { SessionClient, SessionsService } from './sessions.ts'
import type { TwoFactorService } from './two-factor.ts'

/** Registrations per address and window. */
export const maxRegistrations = 10

interface Deps {
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
  /** Informs administrators. */
  readonly alerts: Pick<AlertsService, 'raise'>
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
  | { readonly is: 'open'; readonly loggedIn: LoginResult }
  | { readonly is: 'pending'; readonly token: string }

export type AuthService = ReturnType<typeof authService>

/** Login and registration. */
export function authService(deps: Deps) {
  const {
    db,
    sessions,
    limiter,
    passwords,
    passwordVerifier,
    pending,
    twoFactor,
    settings,
    mail,
    emailConfirmation,
    alerts,
    now,
  } = deps

  /**
   * Scopes as clients see them: those of an administrator include all others, and a user who has a server, sees all
   * servers or may create some also gets `servers.view`. So clients need not know these rules.
   */
  async function effectiveScopes(userId: number, scopes: readonly PanelScope[]): Promise<readonly PanelScope[]> {
    if (scopes.includes('servers.admin')) return panelScopes
    const hasList = canSeeAllServers(scopes) || scopes.includes('servers.create') || (await hasServers(db, userId))
    return panelScopes.filter((scope) => scopes.includes(scope) || (hasList && scope === 'servers.view'))
  }

  async function loggedIn(userId: number, session: string): Promise<LoginResult> {
    const scopes = await effectiveScopes(userId, await scopesOf(db, userId))
    return scopes.length > 0 ? { session, scopes: [...scopes] } : { session }
  }

  async function noteSignIn(
    transaction: Transaction,
    user: { readonly id: number; readonly username: string },
    { address }: SessionClient,
  ): Promise<void> {
    if (!(await isNewLocation(transaction, user.id, address))) return
    const detail = `${user.username} signed in from ${address}`
    await alerts.raise(transaction, { type: 'newSignIn', subject: `${user.id} ${clientSubnet(address)}`, detail })
  }

  return {
    /** The effective scopes of a principal. */
    async scopesOf({ userId, scopes, client }: Principal): Promise<readonly PanelScope[]> {
      return client?.restrictedTo ? [] : effectiveScopes(userId, scopes)
    },

    async login(email: string, password: string, from: SessionClient, audit: AuditContext): Promise<Login> {
      const user = await passwordVerifier.verify(email, password, { address: from.address })

      const opened = await runTransaction(db, async (transaction) => {
        // The password may have been changed during verification, or two-factor enabled.
        const { password: current } = (await lockUser(transaction, user.id)) ?? {}
        if (current !== user.password) throw new Refusal('ErrInvalidCredentials')
        audit.setActor(user)
        const needsCode = await twoFactor.isOn(user.id, transaction)
        if (needsCode) {
          // Not logged in yet: the entry is recorded with the code.
          audit.skip()
          return { token: await pending.open(user.id, transaction) }
        }
        const session = await sessions.open(user.id, from, transaction)
        await noteSignIn(transaction, user, from)
        await audit.record(transaction)
        return { session }
      })
      // A pending login still counts as an attempt: otherwise the password would allow unlimited attempts at the code.
      if (opened.session === undefined) return { is: 'pending', token: opened.token }
      await passwordVerifier.resetAttempts(email, { address: from.address })
      return { is: 'open', loggedIn: await loggedIn(user.id, opened.session) }
    },

    /** Completes a pending login with the two-factor code. */
    async otp(token: string | undefined, code: string, from: SessionClient, audit: AuditContext): Promise<LoginResult> {
      if (token === undefined) throw new Refusal('ErrInvalidSession')
      const userId = await pending.consumeAttempt(token)
      const prover = { userId, address: from.address }
      const [session, user] = await twoFactor.verifyThen(prover, code, audit, async (transaction, user) => {
        await pending.complete(token, transaction)
        if (!user) throw new Refusal('ErrSessionExpired')
        audit.setActor(user)
        await noteSignIn(transaction, user, from)
        return [await sessions.open(userId, from, transaction), user] as const
      })
      await passwordVerifier.resetAttempts(user.email, { address: from.address })
      return loggedIn(userId, session)
    },

    /** Extends the session and returns its current scopes. */
    async reauth(principal: UserPrincipal, session: string): Promise<LoginResult> {
      await sessions.extend(principal.sessionId)
      return loggedIn(principal.userId, session)
    },

    async logout({ userId, sessionId }: UserPrincipal, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, (transaction) => sessions.end(userId, sessionId, transaction))
      sessions.invalidate(userId)
    },

    /** Creates an account without permissions, if registration is enabled. */
    async register(who: NewAccount, from: SessionClient, audit: AuditContext): Promise<LoginResult> {
      if (!(await settings.current())['panel.registrationEnabled']) throw new Refusal('ErrNotFound')
      await limiter.consume([{ key: `register ${clientSubnet(from.address)}`, max: maxRegistrations }])
      const password = await passwords.hash(who.password)
      const [id, session] = await auditedTransaction(audit, db, async (transaction) => {
        const added = await addUser(transaction, { ...who, password, isEmailConfirmed: false, scopes: [] }, now())
        // Without the master URL there is no confirmation link; the mail about the new account is sent anyway.
        if (!(await emailConfirmation.send(transaction, { id: added, ...who }))) {
          await mail.queue(transaction, 'accountCreation', { to: who.email }, { username: who.username })
        }
        audit.setActor({ id: added, username: who.username })
        return [added, await sessions.open(added, from, transaction)] as const
      })
      return loggedIn(id, session)
    },

    /** Opens a session for a user who has authenticated in another way, for example with an invite link. */
    createSession: async (userId: number, from: SessionClient): Promise<LoginResult> =>
      loggedIn(userId, await sessions.open(userId, from)),
  }
}
