import type { LoginResponse } from '@innkeeper/contract/accounts/auth'
import * as calls from '@innkeeper/contract/accounts/auth'
import { signInByLink } from '@innkeeper/contract/accounts/sign-in-link'
import * as signUp from '@innkeeper/contract/accounts/sign-up'
import type { RegisterRoute, SessionCookies } from '../routing/route-context.ts'
import { acceptedLanguage } from './accepted-language.ts'
import type { AuthService } from './auth.ts'
import type { Reauthentication } from './reauthentication.ts'
import type { SetupService } from './setup.ts'
import type { Login } from './sign-in.ts'
import type { SignInLinks } from './sign-in-links.ts'

interface Services {
  readonly auth: AuthService
  readonly setup: SetupService
  readonly signInLinks: Pick<SignInLinks, 'signIn'>
  readonly reauthentication: Pick<Reauthentication, 'confirm'>
}

export function authRoutes(
  registerRoute: RegisterRoute,
  { auth, setup, signInLinks, reauthentication }: Services,
): void {
  registerRoute(calls.login, async ({ body, client, cookies, audit }) =>
    answerLogin(await auth.login(body.email, body.password, client, audit), cookies),
  )
  registerRoute(signInByLink, async ({ body, client, cookies, audit }) =>
    answerLogin(await signInLinks.signIn(body.token, client, audit), cookies),
  )
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

/** The response to a login, whose second factor may have to follow, with its cookie. */
export function answerLogin(login: Login, cookies: SessionCookies): LoginResponse {
  if (login.type === 'pending') {
    cookies.setPendingLogin(login.token)
    const { secondFactors } = login
    return { otpNeeded: true, ...(secondFactors.includes('passkey') && { secondFactors: [...secondFactors] }) }
  }
  cookies.setSession(login.loggedIn.session)
  return login.loggedIn
}
