import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  banPlayer,
  broadcastMessage,
  kickPlayer,
  listPlayerActions,
  type OfferedPlayerAction,
} from '@innkeeper/contract/servers/player-actions'
import { deletePlayerSessions, listSeenPlayers } from '@innkeeper/contract/servers/player-sessions'
import { type GameStatus, getPlayerHistory, getPlayers, type OnlinePlayer } from '@innkeeper/contract/servers/players'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { PlayerHours } from './player-hours.tsx'
import { PlayersPanel } from './players-panel.tsx'
import { SeenPlayers } from './seen-players.tsx'

const player = { name: 'player', isRequired: true, maxLength: 100 } as const
const reason = { name: 'reason', isRequired: false, maxLength: 200 } as const
const message = { name: 'message', isRequired: true, maxLength: 200 } as const
const actions: OfferedPlayerAction[] = [
  { type: 'kick', arguments: [player, reason] },
  { type: 'ban', arguments: [player] },
  { type: 'unban', arguments: [player] },
  { type: 'broadcast', arguments: [message] },
]

interface Opening {
  readonly permissions?: readonly RequiredPermission[]
  readonly status?: Partial<GameStatus['players']> | undefined
  readonly isAsked?: boolean
  readonly online?: readonly OnlinePlayer[]
  readonly isOffline?: boolean
  readonly offered?: Refusal
}

async function openPlayers({ permissions, status, online, isAsked = true, isOffline = false, offered }: Opening = {}) {
  const panel = new FakePanel()
  const players = { online: 2, max: 20, names: [{ name: 'Steve' }, { name: 'Alex' }], ...status }
  panel.respond(getPlayers, {
    isAsked,
    ...(status && { status: { players, answeredMs: 1 } }),
    ...(online && { online: [...online], hasPatterns: true }),
  })
  panel.respond(listPlayerActions, offered ?? { actions })
  panel.respond(listSeenPlayers, { players: [], paging: { page: 1, pageSize: 10, maxSize: 100, total: 0 } })
  panel.respond(getPlayerHistory, { fromMs: 0, stepMs: 30 * 60_000, players: [null], playersPeak: [null] })
  for (const call of [kickPlayer, banPlayer, broadcastMessage]) panel.respond(call, undefined)
  const can = (permission: RequiredPermission) => permissions?.includes(permission) ?? true
  return await openPart(<PlayersPanel server="deadbeef" can={can} isOffline={isOffline} />, { panel })
}

test('who may only kick kicks a player with a reason, and sees no other action', async () => {
  const { user, panel } = await openPlayers({ permissions: ['viewServerPlayers', 'kickPlayers'], status: {} })

  await user.click(await screen.findByRole('button', { name: 'Kick: Steve' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Kick: Steve' }))
  await user.type(dialog.getByLabelText('Reason'), 'No griefing')
  await user.click(dialog.getByRole('button', { name: 'Kick' }))

  await waitFor(() =>
    expect(panel.requests(kickPlayer).map(({ body }) => body)).toEqual([{ player: 'Steve', reason: 'No griefing' }]),
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.queryByRole('button', { name: 'More actions for Steve' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Message to all' })).toBeNull()
})

test('somebody who does not play is banned by name, and the error is at the field', async () => {
  const { user, panel } = await openPlayers({ status: { online: 0, names: [] } })
  panel.respond(banPlayer, new Refusal('ErrFieldCharacters', { field: 'player', characters: ';' }))
  await screen.findByText('Nobody is playing')

  await user.click(screen.getByRole('button', { name: 'Other player' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Ban' }))
  const name = await screen.findByRole('textbox', { name: /Player/ })
  await user.type(name, 'a;b{Enter}')

  await screen.findByText('Player must not contain ;')
  expect(name.getAttribute('aria-invalid')).toBe('true')
  expect(panel.requests(banPlayer).map(({ body }) => body)).toEqual([{ player: 'a;b' }])
})

test('an older node is reported', async () => {
  await openPlayers({ permissions: ['kickPlayers'], offered: new Refusal('ErrNodeOutdated') })

  await screen.findByText(/older version of Innkeeper/)
})

test.for<[string, Opening]>([
  ['The server is not running', { isOffline: true, status: {} }],
  ['This server does not report its players', { isAsked: false }],
  ['The game does not respond', {}],
  ['Nobody is playing', { status: { online: 0, names: [] } }],
  ['The game does not report names', { status: { online: 3, names: [] } }],
  ['You cannot see who plays', { permissions: ['kickPlayers'], status: {} }],
  ['1 more player, whose name the game does not report.', { status: { online: 3 } }],
])('%s', async ([text, opening]) => {
  await openPlayers(opening)

  await screen.findByText(text)
})

test('who joined by lines of the console is listed with the time, also when the game is not asked', async () => {
  const since = new Date(Date.now() - 125 * 60_000).toISOString()
  await openPlayers({ isAsked: false, online: [{ name: 'Orrin', since }] })

  expect(await screen.findByText('Orrin')).toBeDefined()
  expect(screen.getByText(/^Online for 2 hr/)).toBeDefined()
})

test('who has played is searched, and the sessions of a name are deleted after a question', async () => {
  const panel = new FakePanel()
  const lastSeen = '2026-01-02T10:00:00.000Z'
  const seen = { isOnline: false, firstSeen: lastSeen, lastSeen, sessions: 2, totalMs: 3 * 3_600_000 }
  const paging = { page: 1, pageSize: 10, maxSize: 100, total: 1 }
  panel.respond(listSeenPlayers, { players: [{ ...seen, name: 'Orrin' }], paging })
  panel.respond(deletePlayerSessions, undefined)
  const { user } = await openPart(<SeenPlayers server="deadbeef" canDelete />, { panel })
  expect(await screen.findByText(/3 hr in 2 sessions/)).toBeDefined()

  await user.type(screen.getByRole('searchbox', { name: 'Search players' }), 'orr')
  await waitFor(() => expect(panel.requests(listSeenPlayers).at(-1)?.query.get('query')).toBe('orr'))
  await user.click(screen.getByRole('button', { name: 'Sessions of Orrin' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Delete sessions' }))
  await user.click(await screen.findByRole('button', { name: 'Delete sessions' }))

  await waitFor(() => expect(panel.requests(deletePlayerSessions).map(({ body }) => body)).toEqual([{ name: 'Orrin' }]))
})

test('when people play is a heat map, and a table', async () => {
  const panel = new FakePanel()
  const fromMs = new Date(2026, 3, 1, 18).getTime()
  panel.respond(getPlayerHistory, { fromMs, stepMs: 30 * 60_000, players: [2, 3, 1], playersPeak: [4, 9, 1] })
  const { user } = await openPart(<PlayerHours server="deadbeef" />, { panel })

  expect(
    await screen.findByRole('img', { name: /^Most players: Wednesday, 6:00.PM: 2\.5 on average, at most 9$/ }),
  ).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Show as table' }))

  expect(screen.getByRole('cell', { name: '2.5 / 9' })).toBeDefined()
  expect(screen.getAllByRole('columnheader')[3]?.textContent).toBe('Wed')
})
