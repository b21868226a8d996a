import { z } from 'zod'
import { call } from './call.ts'
import { Email, Password, Username } from './names.ts'

/** The cookie that keeps the browser's session; it acts nowhere but at the handshake of the live socket. */
export const sessionCookie = 'innkeeper_session'

export const LoggedIn = z.object({
  /** Bearer token. */
  session: z.string(),
  /** Panel scopes; absent when there are none. */
  scopes: z.array(z.string()).optional(),
})
export type LoggedIn = z.infer<typeof LoggedIn>

/** The cookie of a login that still waits for its code; scripts never see it. */
export const pendingLoginCookie = 'innkeeper_login'

/** With `otpNeeded` there is no session yet: the code is still to come, within five minutes and few tries. */
const LoginAnswer = z.object({
  session: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  otpNeeded: z.boolean().optional(),
})
export type LoginAnswer = z.infer<typeof LoginAnswer>

export const login = call({
  method: 'POST',
  path: '/auth/login',
  access: 'public',
  body: z.object({ email: z.string().max(320), password: z.string().max(1024) }),
  answer: LoginAnswer,
})

/** A code of the authenticator, or a recovery code. */
export const OtpCode = z.string().trim().min(1).max(64)

/**
 * The second half of a login: the code, with the cookie that the first half set. Without one it is `ErrInvalidSession`,
 * after its time or too many tries `ErrSessionExpired`: the password is asked again. A wrong code is
 * `ErrInvalidCredentials`. After 50 wrong codes in a row it is `ErrOtpLocked`, and only a recovery code is accepted.
 */
export const otp = call({
  method: 'POST',
  path: '/auth/otp',
  access: 'public',
  body: z.object({ token: OtpCode }),
  answer: LoggedIn,
})

/** Makes an account without rights and logs it in; not found while registration is switched off. */
export const register = call({
  method: 'POST',
  path: '/auth/register',
  access: 'public',
  body: z.object({ username: Username, email: Email, password: Password }),
  /** `token` is the session, by the name that published clients know. */
  answer: LoggedIn.extend({ success: z.literal(true), token: z.string(), scopes: z.array(z.string()) }),
  refuses: [404],
})

export const logout = call({ method: 'POST', path: '/auth/logout', access: 'person' })

/** Extends the session that asks and answers its scopes as they are now. */
export const reauth = call({ method: 'POST', path: '/auth/reauth', access: 'person', answer: LoggedIn })

/** Creates the first administrator. `code` is the one-time code that the panel printed in its terminal. */
export const setup = call({
  method: 'POST',
  path: '/auth/setup',
  access: 'public',
  body: z.object({
    code: z.string().max(100),
    username: Username,
    email: Email,
    password: Password,
    /** Whether people may register by themselves; off unless it is asked for. */
    registrationEnabled: z.boolean().optional(),
  }),
  answer: LoggedIn,
})
