import * as account from '@innkeeper/contract/account'
import * as panel from '@innkeeper/contract/panel'
import type { Serve } from '../access/serve.ts'
import { versionOf } from '../access/versions.ts'
import type { AuthService } from '../auth/auth.ts'
import type { EmailConfirmation } from '../users/email-confirmation.ts'
import { identityOf } from '../users/users.ts'
import type { AccountService } from './account.ts'

interface Needs {
  readonly accounts: AccountService
  readonly auth: Pick<AuthService, 'scopesOf'>
  readonly emails: EmailConfirmation
}

export function accountRoutes(serve: Serve, { accounts, auth, emails }: Needs): void {
  serve(panel.getSelf, async ({ caller, versions }) => {
    versions.tell(versionOf(identityOf(caller)))
    return { ...(await accounts.self(caller)), scopes: [...(await auth.scopesOf(caller))] }
  })
  serve(account.putSelf, ({ caller, body, from, versions, acting }) =>
    accounts.change(caller, body, from.address, acting, versions.seen),
  )
  serve(account.sendEmailConfirmation, ({ caller }) => emails.sendAgain(caller))
  serve(account.confirmEmail, ({ caller, body, from, acting }) =>
    emails.confirm(caller, body.token, from.address, acting),
  )

  serve(account.listSessions, ({ caller }) => accounts.sessions(caller))
  serve(account.endSession, ({ caller, params, acting }) => accounts.endSession(caller, params.id, acting))
  serve(account.endOtherSessions, ({ caller, acting }) => accounts.endOtherSessions(caller, acting))

  serve(account.getOtp, ({ caller }) => accounts.otp(caller))
  serve(account.startOtp, ({ caller, acting }) => accounts.startOtp(caller, acting))
  serve(account.confirmOtp, async ({ caller, body, from, acting }) => ({
    recoveryCodes: await accounts.confirmOtp(caller, body, from.address, acting),
  }))
  serve(account.renewRecoveryCodes, async ({ caller, body, from, acting }) => ({
    recoveryCodes: await accounts.renewRecoveryCodes(caller, body.token, from.address, acting),
  }))
  serve(account.disableOtp, ({ caller, params, from, acting }) =>
    accounts.disableOtp(caller, params.token, from.address, acting),
  )

  serve(panel.getUserSettings, ({ caller }) => accounts.settings(caller))
  serve(panel.putUserSetting, ({ caller, params, body }) => accounts.keep(caller, params.key, body.value))
}
