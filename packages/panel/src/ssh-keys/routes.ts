import * as calls from '@innkeeper/contract/ssh-keys'
import type { Serve } from '../access/serve.ts'
import type { SshKeysService } from './ssh-keys.ts'

export function sshKeyRoutes(serve: Serve, keys: SshKeysService): void {
  serve(calls.listSshKeys, ({ caller }) => keys.list(caller))
  serve(calls.addSshKey, ({ caller, body, from, acting }) => keys.add(caller, body, from.address, acting))
  serve(calls.removeSshKey, ({ caller, params, acting }) => keys.remove(caller, params.id, acting))
}
