import * as account from '@innkeeper/contract/accounts/account'
import * as panel from '@innkeeper/contract/settings/panel'
import type { AuthService } from '../auth/auth.ts'
import type { EmailConfirmation } from '../auth/email-confirmation.ts'
import { getIdentity } from '../database/users.ts'
import { getVersion } from '../database/versions.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { AccountService } from './account.ts'
import type { UserSettingsService } from './user-settings.ts'

interface Deps {
  readonly accounts: AccountService
  readonly userSettings: UserSettingsService
  readonly auth: Pick<AuthService, 'readScopes'>
  readonly emailConfirmation: EmailConfirmation
}

export function accountRoutes(
  registerRoute: RegisterRoute,
  { accounts, userSettings, auth, emailConfirmation }: Deps,
): void {
  registerRoute(panel.getSelf, async ({ principal, preconditions }) => {
    preconditions.setVersion(getVersion(getIdentity(principal)))
    return { ...accounts.self(principal), scopes: [...(await auth.readScopes(principal))] }
  })
  registerRoute(account.putSelf, ({ principal, body, client, preconditions, audit }) =>
    accounts.change(principal, body, client.address, audit, preconditions.expectedVersion),
  )
  registerRoute(account.sendEmailConfirmation, ({ principal }) => emailConfirmation.sendAgain(principal))
  registerRoute(account.confirmEmail, ({ principal, body, client, audit }) =>
    emailConfirmation.confirm(principal, body.token, client.address, audit),
  )

  registerRoute(account.getCredentialCounts, ({ principal }) => accounts.credentialCounts(principal))
  registerRoute(account.listSessions, ({ principal }) => accounts.sessions(principal))
  registerRoute(account.endSession, ({ principal, params, audit }) => accounts.endSession(principal, params.id, audit))
  registerRoute(account.endOtherSessions, ({ principal, audit }) => accounts.endOtherSessions(principal, audit))

  registerRoute(account.getOtp, ({ principal }) => accounts.otp(principal))
  registerRoute(account.startOtp, ({ principal, audit }) => accounts.startOtp(principal, audit))
  registerRoute(account.confirmOtp, async ({ principal, body, client, recentLogin, audit }) => ({
    recoveryCodes: await accounts.confirmOtp(principal, body, client.address, recentLogin, audit),
  }))
  registerRoute(account.renewRecoveryCodes, async ({ principal, body, client, recentLogin, audit }) => ({
    recoveryCodes: await accounts.renewRecoveryCodes(principal, body.token, client.address, recentLogin, audit),
  }))
  registerRoute(account.disableOtp, ({ principal, params, client, recentLogin, audit }) =>
    accounts.disableOtp(principal, params.token, client.address, recentLogin, audit),
  )

  registerRoute(panel.getUserSettings, ({ principal }) => userSettings.list(principal))
  registerRoute(panel.putUserSetting, ({ principal, params, body }) =>
    userSettings.put(principal, params.key, body.value),
  )
}
