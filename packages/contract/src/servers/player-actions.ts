import { z } from 'zod/mini'
import type { AuditAction } from '../api/audit-actions.ts'
import { type Endpoint, nodeEndpoint } from '../api/endpoint.ts'
import { knownItems } from '../api/known-items.ts'
import {
  maxPlayerArgumentChars,
  type PlayerActionType,
  permissionOfPlayerAction,
  playerActionTypes,
  playerArgumentNames,
} from '../definitions/player-actions.ts'

/** Actions on the players of a server: commands of its definition, which its console gets with the given arguments. */

/** An action that a server has. */
export const OfferedPlayerAction = z.object({
  type: z.enum(playerActionTypes),
  arguments: z.array(
    z.object({ name: z.enum(playerArgumentNames), isRequired: z.boolean(), maxLength: z.int().check(z.minimum(1)) }),
  ),
})
export type OfferedPlayerAction = z.infer<typeof OfferedPlayerAction>

/** The actions of the definition, also those that the user may not do. */
export const listPlayerActions = nodeEndpoint('GET', '/daemon/server/:id/players/actions', {
  access: { onServer: 'viewServer' },
  response: z.object({ actions: knownItems(OfferedPlayerAction) }),
})

const Value = z.string().check(z.maxLength(maxPlayerArgumentChars))
const OnPlayer = z.object({ player: Value })
const WithReason = z.object({ player: Value, reason: z.optional(Value) })

/** ErrNoPlayerAction when the definition does not have the action, ErrServerOffline while the server does not run. */
function actionEndpoint<T extends PlayerActionType, B extends z.ZodMiniType>(type: T, body: B) {
  return nodeEndpoint('POST', `/daemon/server/:id/players/${type}`, {
    access: { onServer: permissionOfPlayerAction[type] },
    audit: `server.player.${type}` as AuditAction,
    body,
  })
}

export const kickPlayer = actionEndpoint('kick', WithReason)
export const banPlayer = actionEndpoint('ban', WithReason)
export const unbanPlayer = actionEndpoint('unban', OnPlayer)
export const opPlayer = actionEndpoint('op', OnPlayer)
export const deopPlayer = actionEndpoint('deop', OnPlayer)
export const whitelistPlayer = actionEndpoint('whitelist', OnPlayer)
export const unwhitelistPlayer = actionEndpoint('unwhitelist', OnPlayer)
export const messagePlayer = actionEndpoint('message', z.object({ player: Value, message: Value }))
export const broadcastMessage = actionEndpoint('broadcast', z.object({ message: Value }))

export const playerActionEndpoints = {
  kick: kickPlayer,
  ban: banPlayer,
  unban: unbanPlayer,
  op: opPlayer,
  deop: deopPlayer,
  whitelist: whitelistPlayer,
  unwhitelist: unwhitelistPlayer,
  message: messagePlayer,
  broadcast: broadcastMessage,
} as const satisfies Readonly<Record<PlayerActionType, Endpoint>>
