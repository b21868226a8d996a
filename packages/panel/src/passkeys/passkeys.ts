import { isIP } from 'node:net'
import type { LoginResult } from '@innkeeper/contract/accounts/auth'
import type {
  addPasskey,
  NewPasskey,
  Passkey,
  PasskeyAssertion,
  startPasskey,
  startPasskeyLogin,
} from '@innkeeper/contract/accounts/passkeys'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { RecentLogin, UserPrincipal } from '../access/principal.ts'
import { replaceRecoveryCodes } from '../auth/otp-codes.ts'
import { credentialOf, passkeysOf, passkeyView } from '../auth/passkey-rows.ts'
import type { PasswordVerifier } from '../auth/password-verifier.ts'
import type { PendingLogins } from '../auth/pending-logins.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import type { SessionClient, SessionsService } from '../auth/sessions.ts'
import type { SignInService } from '../auth/sign-in.ts'
import { removeUnusedRecoveryCodes, type TwoFactorService } from '../auth/two-factor.ts'
import { insertIfAbsent } from '../database/rows.ts'
import type { Database, PasskeyRow, Transaction, UserRow } from '../database/schema.ts'
import { lockUser } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { maxLoginAttemptsPerAddress, type RateLimiter } from '../security/rate-limiter.ts'
import { hashToken } from '../security/secrets.ts'
import type { SettingsService } from '../settings/settings.ts'
import { removeKeysAndClients } from '../users/keys-and-clients.ts'
import { type ChallengePurpose, type ChallengeUser, challengeLifetimeMs, passkeyChallenges } from './challenges.ts'

/** Passkeys per user. */
export const maxPasskeys = 20

/** Ed25519, ECDSA with P-256, RSA: what authenticators have. The post-quantum ones have keys of more than a kilobyte. */
const algorithms = [-8, -7, -257]

interface Deps {
  readonly db: Database
  readonly settings: Pick<SettingsService, 'masterUrl' | 'companyName'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly sessions: Pick<SessionsService, 'endOthers' | 'invalidate'>
  readonly signIns: Pick<SignInService, 'openSession'>
  readonly pending: Pick<PendingLogins, 'find' | 'consumeAttempt' | 'complete'>
  readonly passwordVerifier: Pick<PasswordVerifier, 'resetAttempts'>
  readonly twoFactor: Pick<TwoFactorService, 'isOn'>
  readonly reauthentication: Pick<Reauthentication, 'markConfirmed'>
  readonly mail: Pick<MailService, 'queue'>
  readonly now: () => number
}

/** What the browser answers to a request for a passkey. */
type RequestOptions = ResponseOf<typeof startPasskeyLogin>

/** An assertion with a right signature of a known passkey. Its challenge and counter are checked when it is used. */
interface Verified {
  readonly passkey: PasskeyRow
  readonly challenge: string
  readonly counter: number
}

export type PasskeysService = ReturnType<typeof passkeysService>

/** WebAuthn, loaded with the first passkey: most panels use it rarely, and it takes memory. */
const webAuthn = () => import('@simplewebauthn/server')

/**
 * Passkeys. Each needs the user's presence and verification (PIN, fingerprint) and is stored with its user, so that it is a
 * way to sign in without a user name and counts as two factors.
 */
export function passkeysService(deps: Deps) {
  const { db, settings, limiter, sessions, signIns, pending, passwordVerifier, reauthentication, mail, now } = deps
  const challenges = passkeyChallenges({ db, now })

  /** @throws ErrPasskeyMasterUrl without a master URL that has a host name */
  async function requireSite(): Promise<{ readonly origin: string; readonly rpID: string }> {
    const url = URL.parse((await settings.masterUrl()) ?? '')
    if (!url || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) throw new Refusal('ErrPasskeyMasterUrl')
    return { origin: url.origin, rpID: url.hostname }
  }

  async function request(
    purpose: ChallengePurpose,
    user: ChallengeUser,
    passkeys: readonly PasskeyRow[],
  ): Promise<RequestOptions> {
    const { rpID } = await requireSite()
    const { generateAuthenticationOptions } = await webAuthn()
    const options = await generateAuthenticationOptions({
      rpID,
      challenge: await challenges.issue(purpose, user),
      timeout: challengeLifetimeMs,
      userVerification: 'required',
      allowCredentials: passkeys.map(credentialOf),
    })
    return options as RequestOptions
  }

  /** Verifies the signature, outside of any transaction. */
  async function verify(assertion: PasskeyAssertion): Promise<Verified> {
    const { origin, rpID } = await requireSite()
    requireOrigin(assertion.response.clientDataJSON, origin)
    const passkey = await db
      .selectFrom('passkeys')
      .selectAll()
      .where('id', '=', hashToken(assertion.id))
      .executeTakeFirst()
    if (!passkey) throw new Refusal('ErrPasskeyUnknown')
    const { userHandle } = assertion.response
    const isOfOther = userHandle !== undefined && userHandle !== toUserHandle(passkey.user_id)
    if (isOfOther) throw new Refusal('ErrPasskeyUnknown')
    const { verifyAuthenticationResponse } = await webAuthn()
    let challenge = ''
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...assertion, clientExtensionResults: {} },
      expectedChallenge: (signed) => {
        challenge = signed
        return true
      },
      expectedOrigin: origin,
      expectedRPID: rpID,
      // The counter is checked with its update, so that concurrent requests cannot use the same one.
      credential: { id: passkey.credential_id, publicKey: fromBase64Url(passkey.public_key), counter: 0 },
      requireUserVerification: true,
    }).catch(refuse)
    if (!verified) throw new Refusal('ErrInvalidCredentials')
    return { passkey, challenge, counter: authenticationInfo.newCounter }
  }

  /**
   * Uses up the challenge, and locks the user of the passkey.
   * @throws ErrSessionExpired, ErrPasskeyCounter, ErrInvalidCredentials
   */
  async function use(
    transaction: Transaction,
    { passkey, challenge, counter }: Verified,
    purpose: ChallengePurpose,
    user: ChallengeUser,
  ): Promise<UserRow> {
    const locked = await lockUser(transaction, passkey.user_id)
    if (!locked || (user !== 'anyone' && user !== passkey.user_id)) throw new Refusal('ErrInvalidCredentials')
    await challenges.consume(transaction, challenge, purpose, user)
    const current = await transaction
      .selectFrom('passkeys')
      .select('counter')
      .where('id', '=', passkey.id)
      .executeTakeFirst()
    if (!current) throw new Refusal('ErrPasskeyUnknown')
    // Passkeys that are synchronized between devices have no counter: it stays 0. Any other one rises with each use.
    if (counter <= current.counter && (counter > 0 || current.counter > 0)) throw new Refusal('ErrPasskeyCounter')
    await transaction.updateTable('passkeys').set({ counter, used_at: now() }).where('id', '=', passkey.id).execute()
    return locked
  }

  /** The rate limit of anonymous requests, refunded when the sign-in succeeds. */
  const limitOf = (address: string) => [{ key: `passkey ${clientSubnet(address)}`, max: maxLoginAttemptsPerAddress }]

  return {
    list: async ({ userId }: UserPrincipal): Promise<Passkey[]> => (await passkeysOf(db, userId)).map(passkeyView),

    async start({ userId, username, email }: UserPrincipal): Promise<ResponseOf<typeof startPasskey>> {
      const { rpID } = await requireSite()
      const { generateRegistrationOptions } = await webAuthn()
      const options = await generateRegistrationOptions({
        rpName: await settings.companyName(),
        rpID,
        userID: fromBase64Url(toUserHandle(userId)),
        userName: email,
        userDisplayName: username,
        challenge: await challenges.issue('add', userId),
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
      const { row, challenge } = await verifyNew(passkey, await requireSite())
      const added = { ...row, user_id: userId, name, created_at: now(), used_at: null }
      const recoveryCodes = await auditedTransaction(audit, db, async (transaction) => {
        const user = await recentLogin(transaction)
        await challenges.consume(transaction, challenge, 'add', userId)
        if ((await passkeysOf(transaction, userId)).length >= maxPasskeys)
          throw new Refusal('ErrTooMany', { max: maxPasskeys })
        const isFirst = !(await deps.twoFactor.isOn(userId, transaction))
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

    /** Asks for any passkey of the panel. */
    async startLogin(address: string): Promise<RequestOptions> {
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
    async startSecondFactor(token: string | undefined): Promise<RequestOptions> {
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

    async startConfirmation({ userId }: UserPrincipal): Promise<RequestOptions> {
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

/** Verifies a new passkey, and returns its columns and the challenge that it has signed. */
async function verifyNew(
  passkey: NewPasskey,
  { origin, rpID }: { readonly origin: string; readonly rpID: string },
): Promise<{ row: Omit<PasskeyRow, 'user_id' | 'name' | 'created_at' | 'used_at'>; challenge: string }> {
  requireOrigin(passkey.response.clientDataJSON, origin)
  const { verifyRegistrationResponse } = await webAuthn()
  let challenge = ''
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...passkey, response: { ...passkey.response, transports: [] }, clientExtensionResults: {} },
    expectedChallenge: (signed) => {
      challenge = signed
      return true
    },
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(refuse)
  if (!registrationInfo) throw new Refusal('ErrInvalidCredentials')
  const { id, publicKey, counter } = registrationInfo.credential
  const { transports = [] } = passkey.response
  const row = {
    id: hashToken(id),
    credential_id: id,
    public_key: Buffer.from(publicKey).toString('base64url'),
    transports: transports.filter((transport) => /^[\w-]+$/.test(transport)).join(' '),
    counter,
  }
  return { row, challenge }
}

async function requirePasskey(transaction: Transaction, userId: number, id: string): Promise<PasskeyRow> {
  const query = transaction.selectFrom('passkeys').selectAll().where('id', '=', id).where('user_id', '=', userId)
  const row = await query.executeTakeFirst()
  if (!row) throw new Refusal('ErrNotFound')
  return row
}

/**
 * Compares the address of the page with the master URL, because this mistake of a set-up has an error of its own.
 * @throws ErrPasskeyAddress
 */
function requireOrigin(clientDataJSON: string, expected: string): void {
  const address = originOf(clientDataJSON)
  if (address !== expected) throw new Refusal('ErrPasskeyAddress', { address, expected })
}

function originOf(clientDataJSON: string): string {
  try {
    const { origin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { origin?: unknown }
    return String(origin).slice(0, 300)
  } catch (error) {
    return refuse(error)
  }
}

/** The library throws plain errors, about signatures as about what cannot be read. */
function refuse(error: unknown): never {
  throw new Refusal('ErrInvalidCredentials', {}, { cause: error })
}

/** Bytes that authenticators keep with a passkey, in base64url. Not a name: only the ID of the account. */
const toUserHandle = (userId: number): string => Buffer.from(String(userId)).toString('base64url')

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'))
