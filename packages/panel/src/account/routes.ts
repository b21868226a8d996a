import * as account from '@innkeeper/contract/account'
import * as panel from '@innkeeper/contract/panel'
import type { Serve } from '../access/serve.ts'
import type { AccountService } from './account.ts'

export function accountRoutes(serve: Serve, accounts: AccountService): void {
  serve(panel.getSelf, ({ caller: { userId, username, email } }) => ({ id: userId, username, email }))
  serve(account.putSelf, ({ caller, body, from }) => accounts.change(caller, body, from.address))

  serve(account.listSessions, ({ caller }) => accounts.sessions(caller))
  serve(account.endSession, ({ caller, params }) => accounts.endSession(caller, params.id))
  serve(account.endOtherSessions, ({ caller }) => accounts.endOtherSessions(caller))

  serve(account.getOtp, ({ caller }) => accounts.otp(caller))
  serve(account.startOtp, ({ caller }) => accounts.startOtp(caller))
  serve(account.confirmOtp, async ({ caller, body, from }) => ({
    recoveryCodes: await accounts.confirmOtp(caller, body.token, from.address),
  }))
  serve(account.renewRecoveryCodes, async ({ caller, body, from }) => ({
    recoveryCodes: await accounts.renewRecoveryCodes(caller, body.token, from.address),
  }))
  serve(account.disableOtp, ({ caller, params, from }) => accounts.disableOtp(caller, params.token, from.address))

  serve(panel.getUserSettings, ({ caller }) => accounts.settings(caller))
  serve(panel.putUserSetting, ({ caller, params, body }) => accounts.keep(caller, params.key, body.value))
}
