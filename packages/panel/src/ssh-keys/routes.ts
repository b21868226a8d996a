import * as calls from '@innkeeper/contract/accounts/ssh-keys'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { SshKeysService } from './ssh-keys.ts'

export function sshKeyRoutes(registerRoute: RegisterRoute, keys: SshKeysService): void {
  registerRoute(calls.listSshKeys, ({ principal }) => keys.list(principal))
  registerRoute(calls.addSshKey, ({ principal, body, client, audit }) =>
    keys.add(principal, body, client.address, audit),
  )
  registerRoute(calls.removeSshKey, ({ principal, params, audit }) => keys.remove(principal, params.id, audit))
}
