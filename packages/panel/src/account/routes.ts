import * as account from '@innkeeper/contract/account'
import * as panel from '@innkeeper/contract/panel'
import type { Serve } from '../access/serve.ts'
import type { AccountService } from './account.ts'

export function accountRoutes(serve: Serve, accounts: AccountService): void {
  serve(panel.getSelf, ({ caller: { userId, username, email } }) => ({ id: userId, username, email }))
  serve(account.putSelf, ({ caller, body, from, acting }) => accounts.change(caller, body, from.address, acting))

  serve(account.listSessions, ({ caller }) => accounts.sessions(caller))
  serve(account.endSession, ({ caller, params, acting }) => accounts.endSession(caller, params.id, acting))
  serve(account.endOtherSessions, ({ caller, acting }) => accounts.endOtherSessions(caller, acting))

  serve(account.getOtp, ({ caller }) => accounts.otp(caller))
  serve(account.startOtp, ({ caller, acting }) => accounts.startOtp(caller, acting))
  serve(account.confirmOtp, async ({ caller, body, from, acting }) => ({
    recoveryCodes: await accounts.confirmOtp(caller, body.token, from.address, acting),
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
