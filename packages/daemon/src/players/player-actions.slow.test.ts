import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { Template } from '@innkeeper/contract/definitions/definition'
import { permissionOfPlayerAction } from '@innkeeper/contract/definitions/player-actions'
import { getStatus, installServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { broadcastMessage, kickPlayer } from '@innkeeper/contract/servers/player-actions'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { expect, vi } from 'vitest'
import type { TestNode, Watcher } from '../testing/daemon.ts'
import { test } from '../testing/node-test.ts'
import { startOpenTtdPlayer } from '../testing/openttd-player.ts'
import { freePort } from '../testing/target-servers.ts'

const folder = fileURLToPath(new URL('../../../../templates', import.meta.url))
const patience = { timeout: 180_000, upMs: 60_000 }
const id = '0a7a7a7a'
const params = { id }
const wait = { wait: true }
/** Only the permission for the action. */
const as = (permission: ServerPermission) => ({ permissions: [permission], ticket: { username: 'mara' } })

/** Installs a game from its template and starts it. Returns its port and console. */
async function start(node: TestNode, name: string, values: object = {}): Promise<{ port: number; watcher: Watcher }> {
  const definition = Template.parse(JSON.parse(readFileSync(join(folder, name, `${name}.json`), 'utf8')))
  const port = await freePort()
  for (const [variable, value] of Object.entries({ ip: '127.0.0.1', port, ...values }))
    Object.assign(definition.data[variable] ?? {}, { value })
  const { status } = await node.client.asPanel('PUT', `/daemon/server/${id}`, definition)
  expect(status).toBe(204)
  const watcher = await node.client.watch(id)
  for (const call of [installServer, startServer]) await node.client.send(call, { params, query: wait })
  await watcher.untilHeard('status', { state: 'online' })
  return { port, watcher }
}

/**
 * A player: the game itself without a screen, which joins a server. Now and then it hangs before it connects, and is
 * started again. Returns its ID in the game.
 */
async function joinOpenTtd(dir: string, port: number, watcher: Watcher): Promise<string> {
  const joined = /Steve has joined the game \(Client #(\d+)\)/
  for (let attempt = 0; attempt < 6; attempt++) {
    const player = startOpenTtdPlayer(dir, port)
    const found = await watcher.until('a player', ({ text }) => joined.test(text), 8_000).catch(() => 'late')
    if (found !== 'late') return joined.exec(watcher.text)?.[1] ?? ''
    player.kill('SIGKILL')
  }
  throw new Error('the player did not join')
}

test('a moderator kicks a player of OpenTTD, with a reason that is no command', patience, async ({ node }) => {
  const { port, watcher } = await start(node, 'openttd', { mapsize: '7' })
  const player = await joinOpenTtd(join(node.dataDir, 'player'), port, watcher)
  const getOnline = async () => (await node.client.send(getPlayers, { params })).body.online
  await vi.waitFor(async () => expect(await getOnline()).toMatchObject([{ name: 'Steve' }]))
  const kick = (body: object) => node.client.send(kickPlayer, { params, body, ...as(permissionOfPlayerAction.kick) })

  const refused = await kick({ player, reason: 'a" "b\nquit' })
  const kicked = await kick({ player, reason: 'bye; quit' })
  await watcher.untilText('Steve was kicked. Reason: (bye; quit)', 30_000)

  await vi.waitFor(async () => expect(await getOnline()).toEqual([]), 30_000)
  expect(refused.body.error.code).toBe('ErrFieldNotOneLine')
  expect(kicked.status).toBe(204)
  expect(watcher.text).toContain(`mara> kick ${player} "bye; quit"`)
  expect((await node.client.send(getStatus, { params })).body).toMatchObject({ state: 'online' })
})

test.for([
  ['openttd', { mapsize: '7' }, 'Hello; quit', /Hello; quit/],
  ['armagetron', {}, 'Hello, QUIT', /Admin: Hello, QUIT/],
  ['freeciv', {}, 'Hello; "quit', /./],
] as const)(
  'a message to all players of %s is not a command',
  patience,
  async ([name, values, message, shown], { node }) => {
    const { watcher } = await start(node, name, values)

    const { status } = await node.client.send(broadcastMessage, {
      params,
      body: { message },
      ...as(permissionOfPlayerAction.broadcast),
    })
    await watcher.until('that it is shown', ({ text }) => shown.test(text.split('mara> ')[1] ?? ''))

    expect(status).toBe(204)
    expect((await node.client.send(getStatus, { params })).body).toMatchObject({ state: 'online' })
  },
)
