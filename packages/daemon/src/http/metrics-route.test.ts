import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { getDiskUsage } from '@innkeeper/contract/servers/files'
import { getStatus, killServer, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { getPlayerHistory, getPlayers } from '@innkeeper/contract/servers/players'
import { getStatsHistory, getUptime, uptimeDays } from '@innkeeper/contract/servers/stats-history'
import { type OpenMetricsContentType, Registry } from 'prom-client'
import { expect, vi } from 'vitest'
import { program, TestNode } from '../testing/daemon.ts'
import { minecraftStatus, startTcpGame } from '../testing/game-servers.ts'
import { test as base } from '../testing/node-test.ts'

const token = 'a-token-for-metrics'
const authorization = `Bearer ${token}`
const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }

const test = base.extend<{ node: TestNode }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  node: async ({}, use) => {
    const registry = new Registry<OpenMetricsContentType>()
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    await using node = await TestNode.start({
      players: { tickMs: 10 },
      metrics: {
        registry,
        access: ({ authorization: given = '' }) =>
          given === 'hide' ? 'hidden' : given === authorization ? 'allowed' : 'unauthorized',
      },
    })
    await use(node)
  },
})

async function scrape({ client }: TestNode): Promise<string> {
  const { status, body } = await client.ask('GET', '/metrics', { authorization })
  expect(status).toBe(200)
  return body as string
}

/** The value of a metric of the server. */
function figureIn(text: string, name: string): number | undefined {
  const found = RegExp(`^innkeeper_server_${name}\\{server="${id}"\\} (.+)$`, 'm').exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

base('a node without metrics has no such page', async ({ node }) => {
  const { status, body } = await node.client.ask('GET', '/metrics', { authorization })

  expect({ status, body }).toMatchObject({ status: 404, body: { error: { code: 'ErrNotFound' } } })
})

test('metrics need a token, and a ticket is none', async ({ node: { client } }) => {
  expect(await client.ask('GET', '/metrics')).toMatchObject({
    status: 401,
    body: { error: { code: 'ErrTokenInvalid' } },
  })
  expect((await client.ask('GET', '/metrics', { authorization: 'hide' })).status).toBe(404)
})

test('the node and its servers are measured', async ({ node }) => {
  const { client } = node
  await client.create(id, { command: program('echo'), stop: 'stop' }, { environment: { type: 'standard' } })
  const before = await scrape(node)
  await client.send(startServer, { params, query: wait })
  await client.send(getDiskUsage, { params })

  const running = await vi.waitFor(async () => {
    const text = await scrape(node)
    expect(figureIn(text, 'memory_bytes')).toBeGreaterThan(1e6)
    return text
  })
  await client.send(stopServer, { params, query: wait })
  const stopped = await scrape(node)

  expect(before).toContain(`innkeeper_server_state{server="${id}",state="offline"} 1`)
  expect([figureIn(before, 'starts_total'), figureIn(before, 'memory_bytes')]).toEqual([0, 0])
  expect(figureIn(before, 'disk_bytes')).toBeUndefined()
  expect(running).toContain(`innkeeper_server_state{server="${id}",state="online"} 1`)
  expect(running).not.toContain('state="offline"')
  expect(figureIn(running, 'starts_total')).toBe(1)
  expect(figureIn(running, 'disk_bytes')).toBe(0)
  expect(figureIn(running, 'cpu_limit_cores')).toBeGreaterThanOrEqual(1)
  expect(figureIn(running, 'memory_limit_bytes')).toBeGreaterThan(1e8)
  expect([figureIn(stopped, 'starts_total'), figureIn(stopped, 'crashes_total')]).toEqual([1, 0])
  for (const name of ['cpu_cores', 'memory_bytes', 'memory_used_bytes', 'disk_bytes', 'disk_used_bytes'])
    expect(Number(RegExp(`^innkeeper_node_${name} (.+)$`, 'm').exec(stopped)?.[1])).toBeGreaterThan(0)
  expect(stopped).toContain('innkeeper_node_info{version="0"} 1')
})

test('crashes are counted, requested ends are not', async ({ node }) => {
  const { client } = node
  await client.create(id, { command: program('crash', 1) })
  await client.send(startServer, { params, query: wait })
  await vi.waitFor(async () => expect((await client.send(getStatus, { params })).body.state).toBe('offline'))

  const crashed = await scrape(node)
  await client.send(putDefinition, { params, body: { type: 'test', run: { command: program('echo') } } })
  await client.send(startServer, { params, query: wait })
  await client.send(killServer, { params, query: wait })
  const killed = await scrape(node)

  const countsIn = (text: string) =>
    ['starts_total', 'crashes_total', 'out_of_memory_total'].map((name) => figureIn(text, name))
  expect(countsIn(crashed)).toEqual([1, 1, 0])
  expect(countsIn(killed)).toEqual([2, 1, 0])
})

test('players are counted while the game answers, and a scrape does not wait for it', async ({ node }) => {
  await using game = await startTcpGame(minecraftStatus({ players: { online: 4, max: 20 } }))
  await using silent = await startTcpGame(undefined)
  const { client } = node
  const definition = (port: number) => ({ query: { type: 'minecraft' }, data: { port: { value: port } } })
  await client.create(id, { command: program('echo'), stop: 'stop' }, definition(game.port))
  await client.create('0b0b0b0b', { command: program('echo'), stop: 'stop' }, definition(silent.port))
  const offline = await scrape(node)
  for (const server of [id, '0b0b0b0b']) await client.send(startServer, { params: { id: server }, query: wait })

  const online = await vi.waitFor(async () => {
    const text = await scrape(node)
    expect(figureIn(text, 'players')).toBe(4)
    return text
  })
  const asked = await client.send(getPlayers, { params, permissions: ['viewServerPlayers'] })
  const notAsked = await client.send(getPlayers, { params: { id: '0b0b0b0b' } })
  const readHistory = async (...permissions: ServerPermission[]) =>
    (await client.send(getStatsHistory, { params, query: { range: 'day' }, permissions })).body
  const hours = await client.send(getPlayerHistory, { params, permissions: ['viewServerPlayers'] })
  const uptime = await client.send(getUptime, { params, permissions: ['viewServerStats'] })
  const histories = [await readHistory('viewServerStats', 'viewServerPlayers'), await readHistory('viewServerStats')]
  await client.send(stopServer, { params, query: wait })
  const stopped = await scrape(node)

  expect(histories.map((history) => 'players' in history)).toEqual([true, false])
  expect([hours.body.players, hours.body.playersPeak].map(({ length }) => length)).toEqual(Array(2).fill(31 * 48))
  expect(uptime.body.days).toHaveLength(uptimeDays)
  expect(game.queries()).toBe(1)
  expect(asked.body).toMatchObject({ isAsked: true, status: { players: { online: 4, max: 20 } } })
  expect(notAsked.body).toEqual({ isAsked: true, online: [], hasPatterns: false })
  expect(figureIn(online, 'players_max')).toBe(20)
  expect(online).not.toContain('innkeeper_server_players{server="0b0b0b0b"}')
  expect([offline, stopped].map((text) => figureIn(text, 'players'))).toEqual([undefined, undefined])
})
