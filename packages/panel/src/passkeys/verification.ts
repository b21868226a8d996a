import { isIP } from 'node:net'
import type { NewPasskey, PasskeyAssertion, startPasskeyLogin } from '@innkeeper/contract/accounts/passkeys'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { credentialOf } from '../auth/passkey-rows.ts'
import type { Database, PasskeyRow, Transaction, UserRow } from '../database/schema.ts'
import { lockUser } from '../database/users.ts'
import { hashToken } from '../security/secrets.ts'
import type { SettingsService } from '../settings/settings.ts'
import { type ChallengePurpose, type ChallengeUser, challengeLifetimeMs, passkeyChallenges } from './challenges.ts'

/** Ed25519, ECDSA with P-256, RSA: what authenticators have. The post-quantum ones have keys of more than a kilobyte. */
export const algorithms = [-8, -7, -257]

interface Deps {
  readonly db: Database
  readonly settings: Pick<SettingsService, 'masterUrl'>
  readonly now: () => number
}

/** What the browser needs to ask for a passkey. */
export type PasskeyRequestOptions = ResponseOf<typeof startPasskeyLogin>

/** An assertion with a right signature of a known passkey. Its challenge and counter are checked when it is used. */
export interface VerifiedAssertion {
  readonly passkey: PasskeyRow
  readonly challenge: string
  readonly counter: number
}

/** The columns of a new passkey, and the challenge that it has signed. */
interface VerifiedPasskey {
  readonly row: Omit<PasskeyRow, 'user_id' | 'name' | 'created_at' | 'used_at'>
  readonly challenge: string
}

/** Loaded with the first passkey: most panels use it rarely, and it takes memory. */
export const webAuthn = () => import('@simplewebauthn/server')

export type PasskeyVerification = ReturnType<typeof passkeyVerification>

/** Requests for passkeys, and what browsers answer to them. */
export function passkeyVerification({ db, settings, now }: Deps) {
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
  ): Promise<PasskeyRequestOptions> {
    const { rpID } = await requireSite()
    const { generateAuthenticationOptions } = await webAuthn()
    const options = await generateAuthenticationOptions({
      rpID,
      challenge: await challenges.issue(purpose, user),
      timeout: challengeLifetimeMs,
      userVerification: 'required',
      allowCredentials: passkeys.map(credentialOf),
    })
    return options as PasskeyRequestOptions
  }

  /** Verifies the signature, outside of any transaction. */
  async function verify(assertion: PasskeyAssertion): Promise<VerifiedAssertion> {
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
    { passkey, challenge, counter }: VerifiedAssertion,
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

  return {
    challenges,
    requireSite,
    request,
    verify,
    use,
    verifyNew: async (passkey: NewPasskey): Promise<VerifiedPasskey> => verifyNew(passkey, await requireSite()),
  }
}

async function verifyNew(
  passkey: NewPasskey,
  { origin, rpID }: { readonly origin: string; readonly rpID: string },
): Promise<VerifiedPasskey> {
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
export const toUserHandle = (userId: number): string => Buffer.from(String(userId)).toString('base64url')

export const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'))
