import * as calls from '@innkeeper/contract/panel'
import type { Serve } from '../access/serve.ts'
import type { AccountService } from './account.ts'

export function accountRoutes(serve: Serve, account: AccountService): void {
  serve(calls.getSelf, ({ caller: { userId, username, email } }) => ({ id: userId, username, email }))
  serve(calls.getUserSettings, ({ caller }) => account.settings(caller))
  serve(calls.putUserSetting, ({ caller, params, body }) => account.keep(caller, params.key, body.value))
}
