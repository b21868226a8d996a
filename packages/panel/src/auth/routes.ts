import * as calls from '@innkeeper/contract/auth'
import type { Serve } from '../access/serve.ts'
import { acceptedLanguage } from './accepted-language.ts'
import type { AuthService } from './auth.ts'

export function authRoutes(serve: Serve, auth: AuthService): void {
  serve(calls.login, async ({ body, from, cookie, acting }) => {
    const login = await auth.login(body.email, body.password, from, acting)
    if (login.is === 'pending') {
      cookie.keepPending(login.token)
      return { otpNeeded: true }
    }
    cookie.keep(login.loggedIn.session)
    return login.loggedIn
  })
  serve(calls.otp, async ({ body, from, cookie, acting }) => {
    const loggedIn = await auth.otp(cookie.pending, body.token, from, acting)
    cookie.keep(loggedIn.session)
    return loggedIn
  })
  serve(calls.register, async ({ body, from, cookie, acting }) => {
    const loggedIn = await auth.register({ ...body, language: acceptedLanguage(from.languages) }, from, acting)
    cookie.keep(loggedIn.session)
    const { session, scopes = [] } = loggedIn
    return { success: true as const, token: session, session, scopes }
  })
  serve(calls.setup, async ({ body: { code, registrationEnabled, ...who }, from, cookie, acting }) => {
    const newcomer = { ...who, language: acceptedLanguage(from.languages) }
    const loggedIn = await auth.setup({ code, registrationEnabled }, newcomer, from, acting)
    cookie.keep(loggedIn.session)
    return loggedIn
  })
  serve(calls.reauth, async ({ caller, token, cookie }) => {
    const loggedIn = await auth.reauth(caller, token)
    cookie.keep(loggedIn.session)
    return loggedIn
  })
  serve(calls.logout, async ({ caller, cookie, acting }) => {
    await auth.logout(caller, acting)
    cookie.drop()
  })
}
