import * as calls from '@innkeeper/contract/auth'
import type { Serve } from '../access/serve.ts'
import type { AuthService } from './auth.ts'

export function authRoutes(serve: Serve, auth: AuthService): void {
  serve(calls.login, async ({ body, from, cookie, acting }) => {
    const login = await auth.login(body.email, body.password, from)
    if (login.is === 'pending') {
      const { id, username } = login.user
      acting.by({ id, username })
      cookie.keepPending(login.token)
      return { otpNeeded: true }
    }
    cookie.keep(login.loggedIn.session)
    return login.loggedIn
  })
  serve(calls.otp, async ({ body, from, cookie }) => {
    const loggedIn = await auth.otp(cookie.pending, body.token, from)
    cookie.keep(loggedIn.session)
    return loggedIn
  })
  serve(calls.register, async ({ body, from, cookie }) => {
    const loggedIn = await auth.register(body, from)
    cookie.keep(loggedIn.session)
    return { success: true as const, token: loggedIn.session, ...loggedIn }
  })
  serve(calls.setup, async ({ body: { code, ...who }, from, cookie }) => {
    const loggedIn = await auth.setup(code, who, from)
    cookie.keep(loggedIn.session)
    return loggedIn
  })
  serve(calls.reauth, async ({ caller, token, cookie }) => {
    const loggedIn = await auth.reauth(caller, token)
    cookie.keep(loggedIn.session)
    return loggedIn
  })
  serve(calls.logout, async ({ caller, cookie }) => {
    await auth.logout(caller)
    cookie.drop()
  })
}
