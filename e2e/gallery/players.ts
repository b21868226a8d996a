import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { playerActionTypes } from '@innkeeper/contract/definitions/player-actions'
import type { listPlayerActions } from '@innkeeper/contract/servers/player-actions'
import type { getPlayers } from '@innkeeper/contract/servers/players'
import type { Page } from '@playwright/test'

const names = [
  'Steve',
  'Alex',
  'A player with the longest name that any game allows xX_DragonSlayer_Xx',
  'مشغل',
  '表 ♥',
]

const actions = playerActionTypes.map((type) => ({
  type,
  arguments: (type === 'broadcast'
    ? ['message']
    : type === 'message'
      ? ['player', 'message']
      : ['player', 'reason']
  ).map((name) => ({ name, isRequired: name !== 'reason', maxLength: 100 })),
})) as ResponseOf<typeof listPlayerActions>['actions']

/** Fakes the players of a server, and all actions. */
export async function fakePlayers(page: Page, change: Partial<ResponseOf<typeof getPlayers>> = {}): Promise<void> {
  const players: ResponseOf<typeof getPlayers> = {
    isAsked: true,
    status: {
      players: { online: 7, max: 20, bots: 2, names: names.map((name) => ({ name })) },
      map: 'A map of the northern valley',
      answeredMs: 3,
    },
    ...change,
  }
  await page.route(/\/daemon\/server\/[^/]+\/players$/, (route) => route.fulfill({ json: players }))
  await page.route(/\/daemon\/server\/[^/]+\/players\/actions$/, (route) => route.fulfill({ json: { actions } }))
}
