import { z } from 'zod/mini'
import { endpoint, ifMatch } from '../api/endpoint.ts'
import { Email, Password, Username } from '../text/names.ts'
import { OtpCode } from './auth.ts'

/**
 * Changes the given fields. `password` is always the current password (`ErrInvalidCredentials` when it is wrong). Only an
 * account without a password leaves it out, and needs a recent sign-in instead (`ErrPasswordRequired`). A new password ends all other sessions of the account. A new email address is unconfirmed until the user opens the link
 * that the panel mails to it. With `If-Match`: ErrStaleVersion.
 */
export const putSelf = endpoint('PUT', '/api/self', {
  access: 'user',
  audit: 'account.edit',
  body: z.strictObject({
    username: z.optional(Username),
    email: z.optional(Email),
    password: z.optional(z.string().check(z.minLength(1), z.maxLength(1024))),
    newPassword: z.optional(Password),
    /**
     * With a new password: whether to delete SSH keys and OAuth2 clients of the account too. By default they are kept.
     */
    removeSshKeys: z.optional(z.boolean()),
    removeClients: z.optional(z.boolean()),
  }),
  headers: ifMatch,
})

/**
 * The page that the email confirmation link opens. The token is in the URL fragment, which browsers do not send to
 * servers.
 */
export const confirmEmailPage = '/account/confirm'

/**
 * Sends the email confirmation link of the account again. `ErrEmailNotConfigured` when the panel sends no mail: then an
 * administrator can confirm the address.
 */
export const sendEmailConfirmation = endpoint('POST', '/api/self/email/confirmation', {
  access: 'user',
  audit: false,
  errorStatuses: [400],
})

/**
 * Confirms the email address of the account with the token of the link, and accepts the permissions that were granted
 * to the address in the meantime. `ErrTokenInvalid` for a link that is used, expired or for another account.
 */
export const confirmEmail = endpoint('POST', '/api/self/email/confirm', {
  access: 'user',
  audit: 'account.email.confirm',
  body: z.object({ token: z.string().check(z.minLength(1), z.maxLength(200)) }),
})

/**
 * The number of SSH keys, OAuth2 clients and passkeys of the account, also of clients of servers, and whether it has a
 * password. They outlive sessions. Older panels do not send the last two.
 */
export const getCredentialCounts = endpoint('GET', '/api/self/credentials', {
  access: 'user',
  isForSetUp: true,
  response: z.object({
    sshKeys: z.number(),
    clients: z.number(),
    passkeys: z.optional(z.number()),
    hasPassword: z.optional(z.boolean()),
  }),
})

/** A session of the account. Times are ISO 8601. */
export const SessionView = z.object({
  id: z.string(),
  createdAt: z.string(),
  usedAt: z.string(),
  expiresAt: z.string(),
  /** IP address of the client that logged in. */
  address: z.string(),
  /** The `User-Agent` of the browser. */
  agent: z.string(),
  /** Whether the request was made with this session. */
  isCurrent: z.boolean(),
})
export type SessionView = z.infer<typeof SessionView>

/** The user's own sessions, most recently used first. */
export const listSessions = endpoint('GET', '/api/self/sessions', {
  access: 'user',
  isForSetUp: true,
  response: z.array(SessionView),
})

export const endSession = endpoint('DELETE', '/api/self/sessions/:id', {
  access: 'recentUser',
  audit: 'session.end',
  params: z.object({ id: z.string().check(z.regex(/^[0-9a-f]{64}$/)) }),
})

/** Ends all sessions of the user except the current one. */
export const endOtherSessions = endpoint('DELETE', '/api/self/sessions', {
  access: 'recentUser',
  audit: 'session.end',
})

export const getOtp = endpoint('GET', '/api/self/otp', {
  access: 'user',
  isForSetUp: true,
  response: z.object({
    otpEnabled: z.boolean(),
    /** ISO 8601; present when two-factor is on. */
    enabledAt: z.optional(z.string()),
    /** Number of unused recovery codes; present when two-factor is on, and when the account has passkeys. */
    recoveryCodesLeft: z.optional(z.number()),
  }),
})

/**
 * Starts or restarts the two-factor enrolment with a new secret. Logins need no code until the enrolment is confirmed.
 * `ErrOtpEnabled` when two-factor is on.
 */
export const startOtp = endpoint('POST', '/api/self/otp', {
  access: 'recentUser',
  isForSetUp: true,
  audit: 'otp.enrol',
  response: z.object({
    /** Base32, for manual entry. */
    secret: z.string(),
    /** A QR code as a data URL. */
    img: z.string(),
  }),
})

/** Each code is valid once, in place of an authenticator code. They are returned only by this response. */
const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) })

/**
 * Enables two-factor with a code of the new authenticator and ends all other sessions. SSH keys need no code, so the
 * account's keys are removed unless `keepSshKeys` is set.
 */
export const confirmOtp = endpoint('PUT', '/api/self/otp', {
  access: 'recentUser',
  isForSetUp: true,
  audit: 'otp.enable',
  body: z.object({ token: OtpCode, keepSshKeys: z.optional(z.boolean()) }),
  response: RecoveryCodes,
})

/** Replaces all recovery codes; requires a code, unless passkeys are the only second factor of the account. */
export const renewRecoveryCodes = endpoint('POST', '/api/self/otp/recovery', {
  access: 'recentUser',
  isForSetUp: true,
  audit: 'otp.recovery',
  body: z.object({ token: z.optional(OtpCode) }),
  response: RecoveryCodes,
})

/** Disables two-factor with a code or recovery code, and ends all other sessions. */
export const disableOtp = endpoint('DELETE', '/api/self/otp/:token', {
  access: 'recentUser',
  audit: 'otp.disable',
  params: z.object({ token: OtpCode }),
})
