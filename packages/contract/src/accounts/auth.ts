import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'

/** The session cookie of the browser. It authenticates only the handshake of the live socket. */
export const sessionCookie = 'innkeeper_session'

/**
 * How a session was opened. The second factor is not a way of its own: the way before it counts. `commandLine`: by a
 * command on the machine of the panel.
 */
export const signInMethods = [
  'password',
  'passkey',
  'link',
  'registration',
  'invitation',
  'setup',
  'commandLine',
] as const
export type SignInMethod = (typeof signInMethods)[number]

export const LoginResult = z.object({
  /** Bearer token. */
  session: z.string(),
  /** Panel scopes; absent when there are none. */
  scopes: z.optional(z.array(z.string())),
})
export type LoginResult = z.infer<typeof LoginResult>

/** The HTTP-only cookie of a login that waits for its two-factor code. */
export const pendingLoginCookie = 'innkeeper_login'

export const secondFactors = ['code', 'passkey'] as const
export type SecondFactor = (typeof secondFactors)[number]

/**
 * With `otpNeeded` there is no session yet: the client must send the second factor within five minutes and a few attempts. It
 * is a code of an authenticator; an account with passkeys has `secondFactors`, which names all that it has. A recovery code
 * is always accepted.
 */
export const LoginResponse = z.object({
  session: z.optional(z.string()),
  scopes: z.optional(z.array(z.string())),
  otpNeeded: z.optional(z.boolean()),
  secondFactors: z.optional(z.array(z.enum(secondFactors))),
})
export type LoginResponse = z.infer<typeof LoginResponse>

export const login = endpoint('POST', '/auth/login', {
  access: 'public',
  audit: 'session.open',
  body: z.object({ email: z.string().check(z.maxLength(320)), password: z.string().check(z.maxLength(1024)) }),
  response: LoginResponse,
})

/** An authenticator code or a recovery code. */
export const OtpCode = z.string().check(z.trim(), z.minLength(1), z.maxLength(64))

/**
 * Completes a login with the two-factor code and the cookie of the first step. Without the cookie `ErrInvalidSession`;
 * after the timeout or too many attempts `ErrSessionExpired`, and the user must enter the password again. A wrong code
 * is `ErrInvalidCredentials`. After 50 wrong codes in a row the code is `ErrOtpLocked`, and only a recovery code is
 * accepted.
 */
export const otp = endpoint('POST', '/auth/otp', {
  access: 'public',
  audit: 'session.otp',
  body: z.object({ token: OtpCode }),
  response: LoginResult,
})

export const logout = endpoint('POST', '/auth/logout', { access: 'user', isForSetUp: true, audit: 'session.end' })

/** Extends the current session and returns its current scopes. */
export const reauth = endpoint('POST', '/auth/reauth', {
  access: 'user',
  isForSetUp: true,
  audit: false,
  response: LoginResult,
})

/**
 * Confirms the password, after which the session may do for 10 minutes what a sign-in of the last 10 minutes may.
 * ErrInvalidCredentials when it is wrong.
 */
export const confirmPassword = endpoint('POST', '/auth/password/confirm', {
  access: 'user',
  isForSetUp: true,
  audit: 'session.confirm',
  body: z.strictObject({ password: z.string().check(z.minLength(1), z.maxLength(1024)) }),
})
