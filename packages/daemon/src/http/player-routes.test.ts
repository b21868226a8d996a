import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { permissionOfPlayerAction } from '@innkeeper/contract/definitions/player-actions'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { getConsole, startServer } from '@innkeeper/contract/servers/node-servers'
import { kickPlayer, listPlayerActions, playerActionEndpoints } from '@innkeeper/contract/servers/player-actions'
import { expect } from 'vitest'
import { program } from '../testing/daemon.ts'
import { testOnClearedNode as test } from '../testing/node-test.ts'

const id = '0c1c2c3c'
const params = { id }
const wait = { wait: true }
const actions = [{ type: 'kick', command: 'kick "{player}" {reason}' }]
const asKicker = { permissions: ['kickPlayers'] satisfies RequiredPermission[], ticket: { username: 'mara' } }

test('a user who may only kick kicks, and the console shows who did it, without secrets', async ({ node }) => {
  const data = { hidden: { value: 'HidPlain-2', userEdit: false } }
  await node.client.create(id, program('echo'), { players: { actions }, data })
  const watcher = await node.client.watch(id)
  await node.client.send(startServer, { params, query: wait })
  await watcher.untilText('ready')

  const body = { player: 'A; B', reason: 'HidPlain-2' }
  const kicked = await node.client.send(kickPlayer, { params, body, ...asKicker })
  await watcher.untilText('echo: ')

  expect([kicked.status, kicked.body]).toEqual([204, ''])
  expect(watcher.text).toContain('[DAEMON] mara> kick "A; B" ***\n')
  expect(watcher.text).toContain('echo: kick "A; B" HidPlain-2\n')
})

test('the actions of a definition are offered with their arguments, and an invalid one is not saved', async ({
  node: { client },
}) => {
  await client.create(id, program('echo'), { players: { actions } })
  const definition = { type: 'test', run: {}, players: { actions: [{ type: 'kick', command: '{player}' }] } }

  const offered = await client.send(listPlayerActions, { params, permissions: ['viewServer'] })
  const refused = await client.send(putDefinition, { params, body: definition })

  const arguments_ = [
    { name: 'player', isRequired: true, maxLength: 100 },
    { name: 'reason', isRequired: false, maxLength: 200 },
  ]
  expect(offered.body).toEqual({ actions: [{ type: 'kick', arguments: arguments_ }] })
  expect(refused.body.error).toMatchObject({
    code: 'ErrFieldInvalid',
    metadata: { field: 'players.actions.0.command' },
  })
})

test.for([
  ['a second line', { player: 'a\nstop' }, 400, 'ErrFieldNotOneLine'],
  ['a closing quote', { player: 'a" ; stop' }, 400, 'ErrFieldCharacters'],
  ['no player', { reason: 'a' }, 400, 'ErrFieldRequired'],
  ['a list', { player: ['a'] }, 400, 'ErrFieldInvalid'],
  ['a long player', { player: 'x'.repeat(201) }, 400, 'ErrFieldTooLarge'],
] as const)('%s is refused, and the game gets nothing', async ([, body, status, code], { node: { client } }) => {
  await client.create(id, program('echo'), { players: { actions } })
  await client.send(startServer, { params, query: wait })

  const refused = await client.send(kickPlayer, { params, body, ...asKicker })

  expect([refused.status, refused.body.error.code]).toEqual([status, code])
  expect((await client.send(getConsole, { params })).body.logs).not.toMatch(/echo: |mara>/)
})

test('a server that does not run or lacks the action refuses it', async ({ node: { client } }) => {
  await client.create(id, program('echo'), { players: { actions } })
  const request = { params, body: { player: 'a' } }

  expect((await client.send(kickPlayer, request)).body.error.code).toBe('ErrServerOffline')
  expect((await client.send(playerActionEndpoints.ban, request)).body.error.code).toBe('ErrNoPlayerAction')
})

test('each action needs its own permission', async ({ node: { client } }) => {
  await client.create(id, program('echo'))
  const others = new Set<RequiredPermission>([...Object.values(permissionOfPlayerAction), 'editServerData'])
  for (const [type, call] of Object.entries(playerActionEndpoints)) {
    const permission = permissionOfPlayerAction[type as keyof typeof permissionOfPlayerAction]
    const request = { params, body: { player: 'a', message: 'b' } }

    const denied = await client.send(call, { ...request, permissions: [...others].filter((one) => one !== permission) })
    const allowed = await client.send(call, { ...request, permissions: [permission] })

    expect([denied.status, allowed.body.error.code], type).toEqual([403, 'ErrNoPlayerAction'])
  }
})

test('a letter whose second byte is a backslash in the encoding of the console does not escape a quote', async ({
  node: { client },
}) => {
  const run = { command: program('echo'), stop: 'stop', encoding: 'shift_jis' }
  await client.create(id, run, { players: { actions } })
  await client.send(startServer, { params, query: wait })
  const kick = (player: string) => client.send(kickPlayer, { params, body: { player }, ...asKicker })

  // 表 is 95 5C, and the yen sign is 5C.
  const refused = [await kick('表'), await kick('a¥')]

  expect(refused.map(({ body }) => body.error?.metadata)).toEqual([
    { field: 'player', characters: '表' },
    { field: 'player', characters: '¥' },
  ])
  expect((await kick('日本')).status).toBe(204)
})
