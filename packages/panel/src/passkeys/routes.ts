import * as calls from '@innkeeper/contract/accounts/passkeys'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { PasskeysService } from './passkeys.ts'

export function passkeyRoutes(registerRoute: RegisterRoute, passkeys: PasskeysService): void {
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
  registerRoute(calls.startPasskeyLogin, ({ client }) => passkeys.startLogin(client.address))
  registerRoute(calls.loginWithPasskey, async ({ body, client, cookies, audit }) => {
    const loggedIn = await passkeys.login(body.passkey, client, audit)
    cookies.setSession(loggedIn.session)
    return loggedIn
  })
  registerRoute(calls.startPasskeyOtp, ({ cookies }) => passkeys.startSecondFactor(cookies.pendingLogin))
  registerRoute(calls.otpWithPasskey, async ({ body, client, cookies, audit }) => {
    const loggedIn = await passkeys.completeLogin(cookies.pendingLogin, body.passkey, client, audit)
    cookies.setSession(loggedIn.session)
    return loggedIn
  })
  registerRoute(calls.startPasskeyConfirmation, ({ principal }) => passkeys.startConfirmation(principal))
  registerRoute(calls.confirmWithPasskey, ({ principal, body, audit }) =>
    passkeys.confirm(principal, body.passkey, audit),
  )
}
