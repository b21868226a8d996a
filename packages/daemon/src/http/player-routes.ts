import { getPlayerActions, type PlayerActionType } from '@innkeeper/contract/definitions/player-actions'
import type { PlayerValues } from '@innkeeper/contract/definitions/player-command'
import * as calls from '@innkeeper/contract/servers/player-actions'
import type { Registry } from '../servers/registry.ts'
import type { Serve } from './requests/serve.ts'

interface ActionRequest {
  readonly params: { readonly id: string }
  readonly body: PlayerValues
  readonly username?: string | undefined
}

/** The actions on players of one server. */
export function playerRoutes(serve: Serve, servers: Registry): void {
  const run =
    (type: PlayerActionType) =>
    ({ params, body, username }: ActionRequest) =>
      servers.get(params.id).runPlayerAction(type, body, username)

  serve(calls.listPlayerActions, ({ params }) => {
    const actions = getPlayerActions(servers.get(params.id).definition.value)
    return {
      actions: actions.map(({ type, arguments: all }) => ({
        type,
        arguments: all.map(({ name, isRequired, maxLength }) => ({ name, isRequired, maxLength })),
      })),
    }
  })
  serve(calls.kickPlayer, run('kick'))
  serve(calls.banPlayer, run('ban'))
  serve(calls.unbanPlayer, run('unban'))
  serve(calls.opPlayer, run('op'))
  serve(calls.deopPlayer, run('deop'))
  serve(calls.whitelistPlayer, run('whitelist'))
  serve(calls.unwhitelistPlayer, run('unwhitelist'))
  serve(calls.messagePlayer, run('message'))
  serve(calls.broadcastMessage, run('broadcast'))
}
