import * as calls from '@innkeeper/contract/ssh-keys'
import type { RegisterRoute } from '../access/route-context.ts'
import type { SshKeysService } from './ssh-keys.ts'

export function sshKeyRoutes(serve: RegisterRoute, keys: SshKeysService): void {
  serve(calls.listSshKeys, ({ principal }) => keys.list(principal))
  serve(calls.addSshKey, ({ principal, body, client, audit }) => keys.add(principal, body, client.address, audit))
  serve(calls.removeSshKey, ({ principal, params, audit }) => keys.remove(principal, params.id, audit))
}
