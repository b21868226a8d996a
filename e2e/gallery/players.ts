import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { playerActionTypes } from '@innkeeper/contract/definitions/player-actions'
import type { listPlayerActions } from '@innkeeper/contract/servers/player-actions'
import type { listSeenPlayers } from '@innkeeper/contract/servers/player-sessions'
import type { getPlayerHistory, getPlayers } from '@innkeeper/contract/servers/players'
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

const minuteMs = 60_000
const halfHours = 31 * 48

function getSeen(online: readonly string[]): ResponseOf<typeof listSeenPlayers> {
  const players = [...names, 'Orrin', 'Mara'].map((name, at) => ({
    name,
    isOnline: online.includes(name),
    firstSeen: new Date(Date.now() - 90_000 * minuteMs).toISOString(),
    lastSeen: new Date(Date.now() - at * at * 93 * minuteMs).toISOString(),
    sessions: at + 1,
    totalMs: (at + 1) * 77 * minuteMs,
  }))
  return { players, paging: { page: 1, pageSize: 10, maxSize: 100, total: 27 } }
}

/** People play in the evening, and more at weekends; the server is new. */
function getHistory(): ResponseOf<typeof getPlayerHistory> {
  const stepMs = 30 * minuteMs
  const fromMs = Math.floor(Date.now() / stepMs - halfHours) * stepMs
  const players = Array.from({ length: halfHours }, (_, index) => {
    const at = new Date(fromMs + index * stepMs)
    if (index < halfHours - 5 * 48) return null
    const isWeekend = at.getDay() % 6 === 0
    return Math.max(0, Math.round((isWeekend ? 14 : 8) * Math.cos(((at.getHours() - 20) / 12) * Math.PI)))
  })
  return { fromMs, stepMs, players, playersPeak: players.map((value) => value && value + 2) }
}

/** Fakes the players of a server, and all actions. */
export async function fakePlayers(page: Page, change: Partial<ResponseOf<typeof getPlayers>> = {}): Promise<void> {
  const players: ResponseOf<typeof getPlayers> = {
    isAsked: true,
    status: {
      players: { online: 7, max: 20, bots: 2, names: names.map((name) => ({ name })) },
      map: 'A map of the northern valley',
      answeredMs: 3,
    },
    online: names.map((name, at) => ({ name, since: new Date(Date.now() - (at + 1) * 41 * minuteMs).toISOString() })),
    ...change,
  }
  const playing = players.online?.map(({ name }) => name) ?? []
  await page.route(/\/daemon\/server\/[^/]+\/players$/, (route) => route.fulfill({ json: players }))
  await page.route(/\/daemon\/server\/[^/]+\/players\/seen\?/, (route) => route.fulfill({ json: getSeen(playing) }))
  await page.route(/\/daemon\/server\/[^/]+\/players\/history$/, (route) => route.fulfill({ json: getHistory() }))
  await page.route(/\/daemon\/server\/[^/]+\/players\/actions$/, (route) => route.fulfill({ json: { actions } }))
}
