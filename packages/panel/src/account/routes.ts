import * as account from '@innkeeper/contract/account'
import * as panel from '@innkeeper/contract/panel'
import type { RegisterRoute } from '../access/route-context.ts'
import { versionOf } from '../access/versions.ts'
import type { AuthService } from '../auth/auth.ts'
import type { EmailConfirmation } from '../users/email-confirmation.ts'
import { identityOf } from '../users/users.ts'
import type { AccountService } from './account.ts'

interface Deps {
  readonly accounts: AccountService
  readonly auth: Pick<AuthService, 'scopesOf'>
  readonly emails: EmailConfirmation
}

export function accountRoutes(serve: RegisterRoute, { accounts, auth, emails }: Deps): void {
  serve(panel.getSelf, async ({ principal, preconditions }) => {
    preconditions.setEtag(versionOf(identityOf(principal)))
    return { ...(await accounts.self(principal)), scopes: [...(await auth.scopesOf(principal))] }
  })
  serve(account.putSelf, ({ principal, body, client, preconditions, audit }) =>
    accounts.change(principal, body, client.address, audit, preconditions.ifMatch),
  )
  serve(account.sendEmailConfirmation, ({ principal }) => emails.sendAgain(principal))
  serve(account.confirmEmail, ({ principal, body, client, audit }) =>
    emails.confirm(principal, body.token, client.address, audit),
  )

  serve(account.listSessions, ({ principal }) => accounts.sessions(principal))
  serve(account.endSession, ({ principal, params, audit }) => accounts.endSession(principal, params.id, audit))
  serve(account.endOtherSessions, ({ principal, audit }) => accounts.endOtherSessions(principal, audit))

  serve(account.getOtp, ({ principal }) => accounts.otp(principal))
  serve(account.startOtp, ({ principal, audit }) => accounts.startOtp(principal, audit))
  serve(account.confirmOtp, async ({ principal, body, client, audit }) => ({
    recoveryCodes: await accounts.confirmOtp(principal, body, client.address, audit),
  }))
  serve(account.renewRecoveryCodes, async ({ principal, body, client, audit }) => ({
    recoveryCodes: await accounts.renewRecoveryCodes(principal, body.token, client.address, audit),
  }))
  serve(account.disableOtp, ({ principal, params, client, audit }) =>
    accounts.disableOtp(principal, params.token, client.address, audit),
  )

  serve(panel.getUserSettings, ({ principal }) => accounts.settings(principal))
  serve(panel.putUserSetting, ({ principal, params, body }) => accounts.keep(principal, params.key, body.value))
}
