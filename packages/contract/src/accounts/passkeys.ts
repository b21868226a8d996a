import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { LoginResult } from './auth.ts'

/**
 * Passkeys (WebAuthn credentials) of a user: a way to sign in without a user name, which counts as two factors, and a second
 * factor after another way. They belong to the host name of the master URL.
 */

const Base64Url = (max: number) => z.string().check(z.regex(/^[\w-]+$/), z.maxLength(max))
/** At most 1,023 bytes. */
const CredentialId = Base64Url(1_364)
const Transports = z.array(z.string().check(z.maxLength(30))).check(z.maxLength(10))

const Credential = z.object({
  id: CredentialId,
  type: z.literal('public-key'),
  transports: z.optional(z.array(z.string())),
})

/** For `navigator.credentials.get`, in the JSON form of WebAuthn. */
export const PasskeyRequest = z.object({
  challenge: z.string(),
  rpId: z.optional(z.string()),
  timeout: z.optional(z.number()),
  userVerification: z.optional(z.enum(['required', 'preferred', 'discouraged'])),
  allowCredentials: z.optional(z.array(Credential)),
})

/** For `navigator.credentials.create`, in the JSON form of WebAuthn. */
export const PasskeyCreation = z.object({
  rp: z.object({ name: z.string(), id: z.optional(z.string()) }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ alg: z.number(), type: z.literal('public-key') })),
  timeout: z.optional(z.number()),
  excludeCredentials: z.optional(z.array(Credential)),
  authenticatorSelection: z.optional(
    z.object({
      residentKey: z.optional(z.enum(['required', 'preferred', 'discouraged'])),
      requireResidentKey: z.optional(z.boolean()),
      userVerification: z.optional(z.enum(['required', 'preferred', 'discouraged'])),
    }),
  ),
  attestation: z.optional(z.enum(['none'])),
})

/** What `navigator.credentials.get` has returned, in the JSON form of WebAuthn. */
export const PasskeyAssertion = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({
    authenticatorData: Base64Url(4_096),
    clientDataJSON: Base64Url(8_192),
    signature: Base64Url(4_096),
    userHandle: z.optional(Base64Url(88)),
  }),
})
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>

/** What `navigator.credentials.create` has returned, in the JSON form of WebAuthn. */
export const NewPasskey = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({
    attestationObject: Base64Url(65_536),
    clientDataJSON: Base64Url(8_192),
    transports: z.optional(Transports),
  }),
})
export type NewPasskey = z.infer<typeof NewPasskey>

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  usedAt: z.optional(z.string()),
})
export type Passkey = z.infer<typeof Passkey>

const PasskeyName = z.string().check(z.trim(), z.minLength(1), z.maxLength(100))
const OnPasskey = z.object({ id: z.string().check(z.regex(/^[0-9a-f]{64}$/)) })
const Assertion = z.object({ passkey: PasskeyAssertion })

/** The user's own passkeys, newest first. */
export const listPasskeys = endpoint('GET', '/api/self/passkeys', {
  access: 'user',
  isForSetUp: true,
  response: z.array(Passkey),
})

/** The first step of adding a passkey. ErrPasskeyMasterUrl without a master URL, or when it has no host name. */
export const startPasskey = endpoint('POST', '/api/self/passkeys/options', {
  access: 'recentUser',
  isForSetUp: true,
  audit: false,
  response: PasskeyCreation,
  errorStatuses: [400],
})

/**
 * Adds a passkey within five minutes after the first step, and ends all other sessions. The first second factor of an account
 * comes with recovery codes, which are returned only by this response, and removes the account's SSH keys unless
 * `keepSshKeys` is set. ErrPasskeyAddress when the page has another address than the master URL, ErrTooMany.
 */
export const addPasskey = endpoint('POST', '/api/self/passkeys', {
  access: 'recentUser',
  isForSetUp: true,
  audit: 'passkey.add',
  body: z.object({ name: PasskeyName, passkey: NewPasskey, keepSshKeys: z.optional(z.boolean()) }),
  response: z.object({ passkey: Passkey, recoveryCodes: z.optional(z.array(z.string())) }),
})

export const renamePasskey = endpoint('PUT', '/api/self/passkeys/:id', {
  access: 'user',
  isForSetUp: true,
  audit: 'passkey.rename',
  params: OnPasskey,
  body: z.object({ name: PasskeyName }),
})

/** Ends all other sessions. With the last second factor of the account its recovery codes end too. */
export const removePasskey = endpoint('DELETE', '/api/self/passkeys/:id', {
  access: 'recentUser',
  audit: 'passkey.remove',
  params: OnPasskey,
})

/** The first step of signing in with any passkey of the panel. */
export const startPasskeyLogin = endpoint('POST', '/auth/passkey/options', {
  access: 'public',
  audit: false,
  response: PasskeyRequest,
  errorStatuses: [400],
})

/**
 * Signs in with a passkey. It counts as two factors. ErrPasskeyUnknown, ErrPasskeyAddress, ErrPasskeyCounter when it may have
 * been copied, and ErrSessionExpired when the first step is older than five minutes or was used.
 */
export const loginWithPasskey = endpoint('POST', '/auth/passkey', {
  access: 'public',
  audit: 'session.passkey',
  body: Assertion,
  response: LoginResult,
  errorStatuses: [403],
})

/** The first step of completing a login with a passkey, with the cookie of the login. */
export const startPasskeyOtp = endpoint('POST', '/auth/otp/passkey/options', {
  access: 'public',
  audit: false,
  response: PasskeyRequest,
  errorStatuses: [400],
})

/** Completes a login with a passkey instead of a code. Errors as of `otp` and `loginWithPasskey`. */
export const otpWithPasskey = endpoint('POST', '/auth/otp/passkey', {
  access: 'public',
  audit: 'session.passkey',
  body: Assertion,
  response: LoginResult,
  errorStatuses: [403],
})

/** The first step of confirming with a passkey. */
export const startPasskeyConfirmation = endpoint('POST', '/auth/passkey/confirm/options', {
  access: 'user',
  isForSetUp: true,
  audit: false,
  response: PasskeyRequest,
  errorStatuses: [400],
})

/** Counts as `confirmPassword`. */
export const confirmWithPasskey = endpoint('POST', '/auth/passkey/confirm', {
  access: 'user',
  isForSetUp: true,
  audit: 'session.confirm',
  body: Assertion,
})
