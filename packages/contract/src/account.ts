import { z } from 'zod'
import { OtpCode } from './auth.ts'
import { call, ifMatch } from './call.ts'
import { Email, Password, Username } from './names.ts'

/**
 * Changes what is given of name, address and password; `password` is always the current one (`ErrInvalidCredentials`
 * when it is wrong). A new password ends every other session of the account. A new address counts as not confirmed: a
 * mail to it asks for that. With `If-Match` ErrStaleVersion.
 */
export const putSelf = call({
  method: 'PUT',
  path: '/api/self',
  access: 'person',
  body: z.strictObject({
    username: Username.optional(),
    email: Email.optional(),
    password: z.string().min(1).max(1024),
    newPassword: Password.optional(),
    /** With a new password: whether SSH keys and OAuth2 clients of the account end too. They stay unless asked for. */
    removeSshKeys: z.boolean().optional(),
    removeClients: z.boolean().optional(),
  }),
  headers: ifMatch,
})

/** The page that the mail about a new email address leads to; the token is behind `#`, where no server sees it. */
export const confirmEmailPage = '/account/confirm'

/**
 * Sends the link that confirms the email address of the account once more. `ErrEmailNotConfigured` when the panel sends no
 * mail: then an administrator can confirm it.
 */
export const sendEmailConfirmation = call({
  method: 'POST',
  path: '/api/self/email/confirmation',
  access: 'person',
  refuses: [400],
})

/**
 * Confirms the email address of the account with the token of the link. Permissions that were given to the address
 * meanwhile come with it. `ErrTokenInvalid` for a link that is used up, too old, or for another account.
 */
export const confirmEmail = call({
  method: 'POST',
  path: '/api/self/email/confirm',
  access: 'person',
  body: z.object({ token: z.string().min(1).max(200) }),
})

/** One place where the account is logged in. Times are ISO 8601. */
export const SessionView = z.object({
  id: z.string(),
  createdAt: z.string(),
  usedAt: z.string(),
  expiresAt: z.string(),
  /** Where it was opened from. */
  address: z.string(),
  /** The browser as it calls itself. */
  agent: z.string(),
  /** Whether it is the one that asks. */
  isCurrent: z.boolean(),
})
export type SessionView = z.infer<typeof SessionView>

/** Own sessions, the one used last first. */
export const listSessions = call({
  method: 'GET',
  path: '/api/self/sessions',
  access: 'person',
  answer: z.array(SessionView),
})

export const endSession = call({
  method: 'DELETE',
  path: '/api/self/sessions/:id',
  access: 'person',
  params: z.object({ id: z.string().regex(/^[0-9a-f]{64}$/) }),
})

/** Ends every own session but the one that asks. */
export const endOtherSessions = call({ method: 'DELETE', path: '/api/self/sessions', access: 'person' })

export const getOtp = call({
  method: 'GET',
  path: '/api/self/otp',
  access: 'person',
  answer: z.object({
    otpEnabled: z.boolean(),
    /** ISO 8601; present when two-factor is on. */
    enabledAt: z.string().optional(),
    /** How many recovery codes are unused; present when two-factor is on. */
    recoveryCodesLeft: z.number().optional(),
  }),
})

/**
 * Starts the enrolment, or starts it again with another secret: nothing is asked of a login before the confirmation.
 * `ErrOtpEnabled` when two-factor is on.
 */
export const startOtp = call({
  method: 'POST',
  path: '/api/self/otp',
  access: 'person',
  answer: z.object({
    /** Base32, to type. */
    secret: z.string(),
    /** A QR code as a data URL, to scan. */
    img: z.string(),
  }),
})

/** Each is good once, in place of a code; they are shown now and never again. */
const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) })

/**
 * Switches two-factor on with a code of the new authenticator, and ends every other session. SSH keys let in without a
 * code: those of the account are removed unless the person keeps them.
 */
export const confirmOtp = call({
  method: 'PUT',
  path: '/api/self/otp',
  access: 'person',
  body: z.object({ token: OtpCode, keepSshKeys: z.boolean().optional() }),
  answer: RecoveryCodes,
})

/** Replaces all recovery codes; asks for a code. */
export const renewRecoveryCodes = call({
  method: 'POST',
  path: '/api/self/otp/recovery',
  access: 'person',
  body: z.object({ token: OtpCode }),
  answer: RecoveryCodes,
})

/** Switches two-factor off with a code or recovery code, and ends every other session. */
export const disableOtp = call({
  method: 'DELETE',
  path: '/api/self/otp/:token',
  access: 'person',
  params: z.object({ token: OtpCode }),
})
