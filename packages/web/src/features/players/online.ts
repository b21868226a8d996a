import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { getPlayers, PlayerName } from '@innkeeper/contract/servers/players'

/** A player who is online. `since` is an ISO date; missing for older nodes. */
export interface ListedPlayer extends PlayerName {
  readonly since?: string | undefined
}

/**
 * Who is online: everyone whom the game names, with the time of the session, and whom lines of the console show beside
 * them.
 */
export function getOnlinePlayers({ status, online = [] }: ResponseOf<typeof getPlayers>): readonly ListedPlayer[] {
  const { names = [] } = status?.players ?? {}
  const isSame = (a: PlayerName, b: PlayerName) => (a.id && b.id ? a.id === b.id : a.name === b.name)
  const named = names.map((player) => ({ ...player, since: online.find((one) => isSame(one, player))?.since }))
  return [...named, ...online.filter((one) => !names.some((player) => isSame(one, player)))]
}
