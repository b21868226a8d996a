import * as calls from '@innkeeper/contract/accounts/passkeys'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { PasskeySignIn } from './passkey-sign-in.ts'
import type { PasskeysService } from './passkeys.ts'

interface Services {
  readonly passkeys: PasskeysService
  readonly passkeySignIn: PasskeySignIn
}

export function passkeyRoutes(registerRoute: RegisterRoute, { passkeys, passkeySignIn }: Services): void {
  registerRoute(calls.listPasskeys, ({ principal }) => passkeys.list(principal))
  registerRoute(calls.startPasskey, ({ principal }) => passkeys.start(principal))
  registerRoute(calls.addPasskey, ({ principal, body, recentLogin, audit }) =>
    passkeys.add(principal, body, recentLogin, audit),
  )
  registerRoute(calls.renamePasskey, ({ principal, params, body, audit }) =>
    passkeys.rename(principal, params.id, body.name, audit),
  )
  registerRoute(calls.removePasskey, ({ principal, params, recentLogin, audit }) =>
    passkeys.remove(principal, params.id, recentLogin, audit),
  )
  registerRoute(calls.startPasskeyLogin, ({ client }) => passkeySignIn.startLogin(client.address))
  registerRoute(calls.loginWithPasskey, async ({ body, client, cookies, audit }) => {
    const loggedIn = await passkeySignIn.login(body.passkey, client, audit)
    cookies.setSession(loggedIn.session)
    return loggedIn
  })
  registerRoute(calls.startPasskeyOtp, ({ cookies }) => passkeySignIn.startSecondFactor(cookies.pendingLogin))
  registerRoute(calls.otpWithPasskey, async ({ body, client, cookies, audit }) => {
    const loggedIn = await passkeySignIn.completeLogin(cookies.pendingLogin, body.passkey, client, audit)
    cookies.setSession(loggedIn.session)
    return loggedIn
  })
  registerRoute(calls.startPasskeyConfirmation, ({ principal }) => passkeySignIn.startConfirmation(principal))
  registerRoute(calls.confirmWithPasskey, ({ principal, body, audit }) =>
    passkeySignIn.confirm(principal, body.passkey, audit),
  )
}
