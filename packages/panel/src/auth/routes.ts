import * as calls from '@innkeeper/contract/accounts/auth'
import * as signUp from '@innkeeper/contract/accounts/sign-up'
import type { RegisterRoute } from '../routing/route-context.ts'
import { acceptedLanguage } from './accepted-language.ts'
import type { AuthService } from './auth.ts'
import type { Reauthentication } from './reauthentication.ts'
import type { SetupService } from './setup.ts'

interface Services {
  readonly auth: AuthService
  readonly setup: SetupService
  readonly reauthentication: Pick<Reauthentication, 'confirm'>
}

export function authRoutes(registerRoute: RegisterRoute, { auth, setup, reauthentication }: Services): void {
  registerRoute(calls.login, async ({ body, client, cookies, audit }) => {
    const login = await auth.login(body.email, body.password, client, audit)
    if (login.type === 'pending') {
      cookies.setPendingLogin(login.token)
      return { otpNeeded: true }
    }
    cookies.setSession(login.loggedIn.session)
    return login.loggedIn
  })
  registerRoute(calls.otp, async ({ body, client, cookies, audit }) => {
    const loggedIn = await auth.otp(cookies.pendingLogin, body.token, client, audit)
    cookies.setSession(loggedIn.session)
    return loggedIn
  })
  registerRoute(signUp.register, async ({ body, client, cookies, audit }) => {
    const loggedIn = await auth.register({ ...body, language: acceptedLanguage(client.languages) }, client, audit)
    cookies.setSession(loggedIn.session)
    const { session, scopes = [] } = loggedIn
    return { success: true as const, token: session, session, scopes }
  })
  registerRoute(signUp.setup, async ({ body: { code, registrationEnabled, ...fields }, client, cookies, audit }) => {
    const account = { ...fields, language: acceptedLanguage(client.languages) }
    const loggedIn = await setup.setUp({ code, registrationEnabled }, account, client, audit)
    cookies.setSession(loggedIn.session)
    return loggedIn
  })
  registerRoute(calls.reauth, async ({ principal, token, cookies }) => {
    const loggedIn = await auth.reauth(principal, token)
    cookies.setSession(loggedIn.session)
    return loggedIn
  })
  registerRoute(calls.confirmPassword, ({ principal, body, client, audit }) =>
    reauthentication.confirm(principal, body.password, client.address, audit),
  )
  registerRoute(calls.logout, async ({ principal, cookies, audit }) => {
    await auth.logout(principal, audit)
    cookies.clear()
  })
}
