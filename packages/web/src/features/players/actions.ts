import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { type PlayerActionType, permissionOfPlayerAction } from '@innkeeper/contract/definitions/player-actions'
import type { OfferedPlayerAction } from '@innkeeper/contract/servers/player-actions'

export type { OfferedPlayerAction }

/** An action that the user is about to do, to a player of the list or one whose name is entered. */
export interface ChosenAction {
  readonly action: OfferedPlayerAction
  readonly player?: string
}

/** Actions on somebody who plays, the usual ones first. */
const onPlayers: readonly PlayerActionType[] = ['kick', 'message', 'ban', 'op', 'deop', 'whitelist', 'unwhitelist']
/** Actions on somebody who need not play now. */
const onOthers: readonly PlayerActionType[] = [
  'kick',
  'ban',
  'unban',
  'op',
  'deop',
  'whitelist',
  'unwhitelist',
  'message',
]

/** The actions of the server that the user may do, by where they are offered. */
export function splitActions(
  offered: readonly OfferedPlayerAction[],
  can: (permission: RequiredPermission) => boolean,
) {
  const find = (type: PlayerActionType) =>
    can(permissionOfPlayerAction[type]) ? (offered.find((action) => action.type === type) ?? []) : []
  return {
    forPlayer: onPlayers.flatMap(find),
    forOther: onOthers.flatMap(find),
    forAll: (['broadcast'] as const).flatMap(find),
  }
}

/** Whether an action cannot simply be undone by the player. */
export const isSevere = (type: PlayerActionType): boolean => type === 'ban' || type === 'op'
