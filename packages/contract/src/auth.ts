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

const LoginAnswer = z.object({
  session: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  otpNeeded: z.boolean().optional(),
})

export const login = call({
  method: 'POST',
  path: '/auth/login',
  access: 'public',
  body: z.object({ email: z.string().max(320), password: z.string().max(1024) }),
  answer: LoginAnswer,
})

export const logout = call({ method: 'POST', path: '/auth/logout', access: 'session' })

/** Extends the session that asks and answers its scopes as they are now. */
export const reauth = call({ method: 'POST', path: '/auth/reauth', access: 'session', answer: LoggedIn })

/** Creates the first administrator. `code` is the one-time code that the panel printed in its terminal. */
export const setup = call({
  method: 'POST',
  path: '/auth/setup',
  access: 'public',
  body: z.object({ code: z.string().max(100), username: Username, email: Email, password: Password }),
  answer: LoggedIn,
})
