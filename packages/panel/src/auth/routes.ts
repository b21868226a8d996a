import * as calls from '@innkeeper/contract/auth'
import type { Serve } from '../access/serve.ts'
import type { AuthService } from './auth.ts'

export function authRoutes(serve: Serve, auth: AuthService): void {
  serve(calls.login, async ({ body, from, cookie }) => {
    const loggedIn = await auth.login(body.email, body.password, from.address)
    cookie.keep(loggedIn.session)
    return loggedIn
  })
  serve(calls.setup, async ({ body: { code, ...who }, from, cookie }) => {
    const loggedIn = await auth.setup(code, who, from.address)
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
