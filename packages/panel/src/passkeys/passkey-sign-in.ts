import type { LoginResult } from '@innkeeper/contract/accounts/auth'
import type { PasskeyAssertion } from '@innkeeper/contract/accounts/passkeys'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { UserPrincipal } from '../access/principal.ts'
import { passkeysOf } from '../auth/passkey-rows.ts'
import type { PasswordVerifier } from '../auth/password-verifier.ts'
import type { PendingLogins } from '../auth/pending-logins.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import type { SessionClient } from '../auth/sessions.ts'
import type { SignInService } from '../auth/sign-in.ts'
import type { Database } from '../database/schema.ts'
import { maxLoginAttemptsPerAddress, type RateLimiter } from '../security/rate-limiter.ts'
import type { PasskeyRequestOptions, PasskeyVerification } from './verification.ts'

interface Deps {
  readonly db: Database
  readonly verification: PasskeyVerification
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly signIns: Pick<SignInService, 'openSession'>
  readonly pending: Pick<PendingLogins, 'find' | 'consumeAttempt' | 'complete'>
  readonly passwordVerifier: Pick<PasswordVerifier, 'resetAttempts'>
  readonly reauthentication: Pick<Reauthentication, 'markConfirmed'>
}

export type PasskeySignIn = ReturnType<typeof passkeySignIn>

/** Signing in with passkeys, completing pending logins with them, and confirming sessions. */
export function passkeySignIn(deps: Deps) {
  const { db, limiter, signIns, pending, passwordVerifier, reauthentication } = deps
  const { request, verify, use } = deps.verification

  /** The rate limit of anonymous requests, refunded when the sign-in succeeds. */
  const limitOf = (address: string) => [{ key: `passkey ${clientSubnet(address)}`, max: maxLoginAttemptsPerAddress }]

  return {
    /** Asks for any passkey of the panel. */
    async startLogin(address: string): Promise<PasskeyRequestOptions> {
      await limiter.consume(limitOf(address))
      return request('signIn', 'anyone', [])
    },

    async login(assertion: PasskeyAssertion, from: SessionClient, audit: AuditContext): Promise<LoginResult> {
      const limit = limitOf(from.address)
      await limiter.consume(limit)
      const verified = await verify(assertion)
      audit.setSubject({ target: verified.passkey.name })
      const loggedIn = await signIns.openSession({ by: 'passkey', from, audit }, (transaction) =>
        use(transaction, verified, 'signIn', 'anyone'),
      )
      // Those of both steps.
      await limiter.refund([...limit, ...limit])
      return loggedIn
    },

    /** Asks for a passkey of the user whose pending login waits for the second factor. */
    async startSecondFactor(token: string | undefined): Promise<PasskeyRequestOptions> {
      if (token === undefined) throw new Refusal('ErrInvalidSession')
      const { userId } = await pending.find(token)
      return request('secondFactor', userId, await passkeysOf(db, userId))
    },

    /** Completes a pending login. */
    async completeLogin(
      token: string | undefined,
      assertion: PasskeyAssertion,
      from: SessionClient,
      audit: AuditContext,
    ): Promise<LoginResult> {
      if (token === undefined) throw new Refusal('ErrInvalidSession')
      const { userId, method: by } = await pending.consumeAttempt(token)
      const verified = await verify(assertion)
      let email = ''
      const loggedIn = await signIns.openSession({ by, from, audit }, async (transaction) => {
        const user = await use(transaction, verified, 'secondFactor', userId)
        await pending.complete(token, transaction)
        email = user.email
        return user
      })
      await passwordVerifier.resetAttempts(email, { address: from.address })
      return loggedIn
    },

    async startConfirmation({ userId }: UserPrincipal): Promise<PasskeyRequestOptions> {
      return request('confirm', userId, await passkeysOf(db, userId))
    },

    /** Lets the session do for a time what requires a recent login. */
    async confirm(principal: UserPrincipal, assertion: PasskeyAssertion, audit: AuditContext): Promise<void> {
      const verified = await verify(assertion)
      await auditedTransaction(audit, db, async (transaction) => {
        await use(transaction, verified, 'confirm', principal.userId)
        await reauthentication.markConfirmed(transaction, principal)
      })
    },
  }
}
