import type { LoginResult } from '@innkeeper/contract/accounts/auth'
import {
  addPasskey,
  confirmWithPasskey,
  loginWithPasskey,
  type NewPasskey,
  otpWithPasskey,
  type PasskeyAssertion,
  startPasskey,
  startPasskeyConfirmation,
  startPasskeyLogin,
  startPasskeyOtp,
} from '@innkeeper/contract/accounts/passkeys'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { request } from './request.ts'

/** Why passkeys cannot be used here. */
export type PasskeyProblem = 'noMasterUrl' | 'ipAddress' | 'otherAddress' | 'noHttps' | 'notSupported'

interface PageInfo {
  readonly origin: string
  readonly isSecureContext: boolean
  readonly hasWebAuthn: boolean
}

const thisPage = (): PageInfo => ({
  origin: window.location.origin,
  isSecureContext: window.isSecureContext,
  hasWebAuthn: typeof window.PublicKeyCredential === 'function',
})

/** Checks what browsers refuse without a reason. `site` is the master URL of the panel. */
export function findPasskeyProblem(site: string | undefined, page = thisPage()): PasskeyProblem | undefined {
  const url = URL.parse(site ?? '')
  if (!url) return 'noMasterUrl'
  // Browsers normalize all forms of an IPv4 address.
  if (/^(?:[\d.]+|\[.*\])$/.test(url.hostname)) return 'ipAddress'
  if (url.origin !== page.origin) return 'otherAddress'
  if (!page.isSecureContext) return 'noHttps'
  return page.hasWebAuthn ? undefined : 'notSupported'
}

/** Signs in with any passkey of this device. */
export async function signInWithPasskey(): Promise<LoginResult> {
  const options = await request(startPasskeyLogin)
  return request(loginWithPasskey, { body: { passkey: await getPasskey(options) } })
}

/** Completes a sign-in with a passkey in place of the code. */
export async function verifyWithPasskey(): Promise<LoginResult> {
  const options = await request(startPasskeyOtp)
  return request(otpWithPasskey, { body: { passkey: await getPasskey(options) } })
}

/** Confirms the session with a passkey in place of the password. */
export async function confirmByPasskey(): Promise<void> {
  const options = await request(startPasskeyConfirmation)
  await request(confirmWithPasskey, { body: { passkey: await getPasskey(options) } })
}

/** Creates a passkey on this device, and adds it to the account. */
export async function createPasskey(
  name: string,
  { keepSshKeys }: { readonly keepSshKeys: boolean },
): Promise<ResponseOf<typeof addPasskey>> {
  const options = await request(startPasskey)
  const { startRegistration } = await webAuthn()
  const passkey = await startRegistration({ optionsJSON: options as never }).catch(refuse)
  return request(addPasskey, { body: { name, passkey: passkey as NewPasskey, keepSshKeys } })
}

async function getPasskey(options: ResponseOf<typeof startPasskeyLogin>): Promise<PasskeyAssertion> {
  const { startAuthentication } = await webAuthn()
  return (await startAuthentication({ optionsJSON: options as never }).catch(refuse)) as PasskeyAssertion
}

/** Loaded when it is first used: most users have no passkey. */
const webAuthn = () => import('@simplewebauthn/browser')

/** Maps errors of the browser. A user who cancels, a timeout and a missing passkey are the same to it, on purpose. */
function refuse(error: unknown): never {
  const { name = '', message = '' } = error instanceof Error ? error : {}
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') throw new Refusal('ErrPasskeyKnown')
  if (code === 'ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY' || code === 'ERROR_CEREMONY_ABORTED')
    throw new Refusal('ErrPasskeyCanceled', {}, { cause: error })
  throw new Refusal('ErrPasskeyFailed', { reason: message || name }, { cause: error })
}
