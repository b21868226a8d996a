import type { getCredentialCounts, getOtp, SessionView } from '@innkeeper/contract/accounts/account'
import type { MailKind } from '@innkeeper/contract/alerts/mail'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { hasScope } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Self } from '@innkeeper/contract/settings/panel'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { mustSetUpSecondFactor, type Principal, type RecentLogin, type UserPrincipal } from '../access/principal.ts'
import type { EmailConfirmation } from '../auth/email-confirmation.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { limitTakenNames } from '../auth/taken-names.ts'
import type { TwoFactorService } from '../auth/two-factor.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { changeUser, getIdentity, lowerCaseKey, noPassword, userById } from '../database/users.ts'
import { requireCurrent } from '../database/versions.ts'
import type { MailService } from '../mail/mail.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import { countCredentials, removeKeysAndClients } from '../users/keys-and-clients.ts'

interface Deps {
  readonly db: Database
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly sessions: SessionsService
  readonly passwords: Pick<Passwords, 'hash'>
  readonly reauthentication: Pick<Reauthentication, 'requirePassword'>
  readonly twoFactor: TwoFactorService
  readonly mail: Pick<MailService, 'queue'>
  readonly emailConfirmation: Pick<EmailConfirmation, 'send'>
  readonly now: () => number
}

const takenCodes = ['ErrDuplicateUsername', 'ErrDuplicateEmail'] as const

/** Changes of a user's own account; `password` is the current one, which accounts without a password leave out. */
export interface AccountChange {
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly password?: string | undefined
  readonly newPassword?: string | undefined
  /** Credentials to remove with the old password, besides other sessions. */
  readonly removeSshKeys?: boolean | undefined
  readonly removeClients?: boolean | undefined
}

type CredentialCounts = ResponseOf<typeof getCredentialCounts>

export type AccountService = ReturnType<typeof accountService>

/** The account of the current user. */
export function accountService(deps: Deps) {
  const { db, limiter, sessions, passwords, reauthentication, twoFactor, mail, now } = deps
  return {
    self: (principal: Principal): Self => getSelf(principal, now()),

    /** Changes name, address or password. The current password is verified first, with a rate limit. */
    async change(
      principal: UserPrincipal,
      change: AccountChange,
      address: string,
      audit: AuditContext,
      expectedVersion?: string,
    ): Promise<void> {
      const { username, email, password, newPassword } = change
      const confirmed = await reauthentication.requirePassword(principal, password, address)
      const hash = newPassword === undefined ? undefined : await passwords.hash(newPassword)
      const write = () =>
        auditedTransaction(audit, db, async (transaction) => {
          const user = await confirmed(transaction)
          requireCurrent(expectedVersion, getIdentity(user))
          await changeAccount(deps, transaction, user, principal, { ...change, hash })
        })
      // The answer reveals which names and addresses are taken.
      const isProbe = (username !== undefined || email !== undefined) && !hasScope(principal.scopes, 'users.view')
      const attempts = { limiter, key: `taken account name ${principal.userId}`, codes: takenCodes }
      await (isProbe ? limitTakenNames(attempts, write) : write())
      sessions.invalidate(principal.userId)
    },

    credentialCounts: ({ userId }: UserPrincipal): Promise<CredentialCounts> => readCredentialCounts(db, userId),

    sessions: (principal: UserPrincipal): Promise<SessionView[]> => sessions.list(principal),

    async endSession({ userId }: UserPrincipal, id: string, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        if (!(await sessions.end(userId, id, transaction))) throw new Refusal('ErrNotFound')
      })
      sessions.invalidate(userId)
    },

    async endOtherSessions({ userId, sessionId }: UserPrincipal, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, (transaction) => sessions.endOthers(userId, sessionId, transaction))
      sessions.invalidate(userId)
    },

    otp: ({ userId }: UserPrincipal): Promise<ResponseOf<typeof getOtp>> => readOtp(twoFactor, userId),

    startOtp: ({ userId, email }: UserPrincipal, audit: AuditContext): Promise<{ secret: string; img: string }> =>
      twoFactor.start(userId, email, audit),

    /** SSH keys need no code, so they are removed unless the user keeps them. */
    async confirmOtp(
      principal: UserPrincipal,
      { token, keepSshKeys = false }: { readonly token: string; readonly keepSshKeys?: boolean | undefined },
      address: string,
      recentLogin: RecentLogin,
      audit: AuditContext,
    ): Promise<string[]> {
      const after = afterTwoFactor(deps, principal, recentLogin, 'otpEnabled')
      const codes = await twoFactor.confirm(getOtpSubject(principal, address), token, audit, async (transaction) => {
        await after(transaction)
        const { userId: id, email } = principal
        await removeKeysAndClients(transaction, mail, { id, email }, { sshKeys: !keepSshKeys, clients: false })
      })
      sessions.invalidate(principal.userId)
      return codes
    },

    renewRecoveryCodes: (
      principal: UserPrincipal,
      token: string | undefined,
      address: string,
      recentLogin: RecentLogin,
      audit: AuditContext,
    ): Promise<string[]> => twoFactor.renewRecoveryCodes(getOtpSubject(principal, address), token, recentLogin, audit),

    async disableOtp(
      principal: UserPrincipal,
      token: string,
      address: string,
      recentLogin: RecentLogin,
      audit: AuditContext,
    ): Promise<void> {
      const after = afterTwoFactor(deps, principal, recentLogin, 'otpDisabled')
      await twoFactor.disable(getOtpSubject(principal, address), token, audit, after)
      sessions.invalidate(principal.userId)
    },
  }
}

function getSelf(principal: Principal, now: number): Self {
  const { userId: id, username, email, isEmailConfirmed: emailConfirmed } = principal
  const self = { id, username, email, emailConfirmed }
  if (principal.client || principal.secondFactorFrom === undefined) return self
  const from = new Date(principal.secondFactorFrom).toISOString()
  return { ...self, secondFactor: { from, isRequired: mustSetUpSecondFactor(principal, now) } }
}

/** Changes the account, and mails its owner about it. `user` is the row before. */
async function changeAccount(
  { sessions, mail, emailConfirmation }: Pick<Deps, 'sessions' | 'mail' | 'emailConfirmation'>,
  transaction: Transaction,
  user: UserRow,
  { sessionId }: UserPrincipal,
  change: AccountChange & { readonly hash: string | undefined },
): Promise<void> {
  const { username, email, hash, removeSshKeys = false, removeClients = false } = change
  const { id } = user
  const isOtherAddress = email !== undefined && lowerCaseKey(email) !== user.email_key
  const emailConfirmedAt = isOtherAddress ? null : undefined
  await changeUser(transaction, id, { username, email, emailConfirmedAt, password: hash })
  if (isOtherAddress) await emailConfirmation.send(transaction, { id, username: username ?? user.username, email }, id)
  const recipient = { to: user.email, person: id, by: id }
  if (email !== undefined && email !== user.email)
    await mail.queue(transaction, 'emailChanged', recipient, { newEmail: email })
  if (hash === undefined) return
  await sessions.endOthers(id, sessionId, transaction)
  await removeKeysAndClients(transaction, mail, user, { sshKeys: removeSshKeys, clients: removeClients })
  await mail.queue(transaction, 'passwordChanged', recipient, {})
}

const getOtpSubject = ({ userId }: UserPrincipal, address: string) => ({ userId, address })

/** Ends all other sessions and mails the user; in the transaction that changes two-factor. */
function afterTwoFactor(
  { sessions, mail }: Pick<Deps, 'sessions' | 'mail'>,
  principal: UserPrincipal,
  recentLogin: RecentLogin,
  kind: Extract<MailKind, 'otpEnabled' | 'otpDisabled'>,
) {
  return async (transaction: Transaction): Promise<void> => {
    await recentLogin(transaction)
    await sessions.endOthers(principal.userId, principal.sessionId, transaction)
    await mail.queue(transaction, kind, { to: principal.email, by: principal.userId }, {})
  }
}

async function readCredentialCounts(db: Database, userId: number): Promise<CredentialCounts> {
  const [sshKeys, clients, passkeys, user] = await Promise.all([
    countCredentials(db, 'ssh_keys', userId),
    countCredentials(db, 'oauth2_clients', userId),
    countCredentials(db, 'passkeys', userId),
    userById(db, userId),
  ])
  return { sshKeys, clients, passkeys, hasPassword: user !== undefined && user.password !== noPassword }
}

async function readOtp(twoFactor: TwoFactorService, userId: number): Promise<ResponseOf<typeof getOtp>> {
  if (!(await twoFactor.isOn(userId))) return { otpEnabled: false }
  const recoveryCodesLeft = await twoFactor.recoveryCodesLeft(userId)
  const since = await twoFactor.enabledAt(userId)
  if (since === undefined) return { otpEnabled: false, recoveryCodesLeft }
  return { otpEnabled: true, enabledAt: new Date(since).toISOString(), recoveryCodesLeft }
}
