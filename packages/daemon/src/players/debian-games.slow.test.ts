import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { Template } from '@innkeeper/contract/definitions/definition'
import { getConsole, installServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { type GameStatus, getPlayers } from '@innkeeper/contract/servers/players'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { TestNode } from '../testing/daemon.ts'
import { freePort } from '../testing/target-servers.ts'
import { GamedigThread } from './gamedig/gamedig-thread.ts'
import { readOpenTtd } from './protocols/openttd.ts'
import type { GameAnswer } from './protocols/protocol.ts'

/** Some generate maps or keys on the first start, which is slow on a busy machine. */
const patience = { timeout: 60_000, interval: 100 }
const wait = { wait: true }

let node: TestNode
// More often than once in a second, OpenArena does not answer.
beforeAll(async () => {
  node = await TestNode.start({ players: { tickMs: 20, everyMs: 2_000 } })
})
afterAll(async () => {
  await node[Symbol.asyncDispose]()
})

/** Starts a server from a bundled template, and returns its port. */
async function start(id: string, name: string, values: Readonly<Record<string, unknown>> = {}): Promise<number> {
  const port = await freePort()
  const file = new URL(`../../../../templates/${name}/${name}.json`, import.meta.url)
  const definition = Template.parse(JSON.parse(readFileSync(file, 'utf8')))
  for (const [variable, value] of Object.entries({ ip: '127.0.0.1', port, ...values }))
    Object.assign(definition.data[variable] ?? {}, { value })
  expect((await node.client.asPanel('PUT', `/daemon/server/${id}`, definition)).status).toBe(204)
  for (const call of [installServer, startServer])
    expect((await node.client.send(call, { params: { id }, query: wait })).status).toBe(204)
  return port
}

async function askFor(id: string): Promise<GameStatus | undefined> {
  const { body } = await node.client.send(getPlayers, { params: { id } })
  return body.status
}

/** The status of a game once it is as expected. */
async function statusOf(id: string, expected: object): Promise<GameStatus> {
  return await vi.waitFor(async () => {
    const status = await askFor(id)
    expect(status).toMatchObject(expected)
    return status as GameStatus
  }, patience)
}

/** What the program of the Debian package `qstat` prints of a game: players and places, map and name. */
async function askQstat(type: string, port: number): Promise<string> {
  const format = ['-raw', '|', '-nh']
  const { stdout } = await promisify(execFile)('quakestat', [...format, `-${type}`, `127.0.0.1:${port}`])
  return stdout.trim()
}

async function askGamedig(game: string, port: number): Promise<GameAnswer> {
  const thread = new GamedigThread()
  onTestFinished(() => thread.close())
  return await thread.read(game, { host: '127.0.0.1', port, signal: AbortSignal.timeout(20_000) }, 2_000)
}

test('OpenArena tells people and bots apart', async () => {
  const id = '0e0e0e01'
  const port = await start(id, 'openarena', { bots: 3 })

  const status = await statusOf(id, { players: { online: 0, bots: 3, names: [] } })

  // That program counts bots as players.
  const { map, name, players } = status
  expect((await askQstat('q3s', port)).split('|').slice(2, 6)).toEqual([name, map, String(players.max), '3'])
  expect(await askGamedig('openarena', port)).toMatchObject({ online: 0, bots: 3, map, name })
}, 90_000)

test('Teeworlds 0.7 and DDNet are asked by the same type', async () => {
  const [teeworlds, ddnet] = ['0e0e0e02', '0e0e0e03']
  await start(teeworlds, 'teeworlds', { servername: 'Teeworlds here', maxplayers: 12 })
  const port = await start(ddnet, 'ddnet', { servername: 'DDNet here', maxplayers: 40 })

  const [newer, older] = [
    await statusOf(teeworlds, { name: 'Teeworlds here', players: { online: 0, max: 12, bots: 0, names: [] } }),
    await statusOf(ddnet, { name: 'DDNet here', players: { online: 0, max: 40, names: [] } }),
  ]

  expect(newer.version).toMatch(/^0\.7/)
  expect(older.version).toMatch(/^0\.6/)
  const [, , name, map] = (await askQstat('tees', port)).split('|')
  expect([name, map]).toEqual(['DDNet here [0/40]', older.map])
}, 90_000)

/** Logs in to a Mumble server as a user, until the socket is closed. */
async function joinMumble(port: number, username: string) {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const message = (type: number, content: Buffer) => {
    const head = Buffer.alloc(6)
    head.writeUInt16BE(type)
    head.writeUInt32BE(content.length, 2)
    return Buffer.concat([head, content])
  }
  const version = Buffer.from([0x08, 0x84, 0x86, 0x04])
  const authenticate = Buffer.concat([
    Buffer.from([0x0a, username.length]),
    Buffer.from(username),
    Buffer.from([0x28, 1]),
  ])
  socket.write(Buffer.concat([message(0, version), message(2, authenticate)]))
  return socket.resume()
}

/** The names of who is online, once they are as expected. */
async function untilOnline(id: string, names: readonly string[]): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await node.client.send(getPlayers, { params: { id } })
    expect(body.online).toEqual(names.map((name) => expect.objectContaining({ name })))
  }, patience)
}

test('users of Mumble are counted and named when they come and go', async () => {
  const id = '0e0e0e04'
  const port = await start(id, 'mumble', { adminpassword: 'a long one' })
  const empty = await statusOf(id, { players: { online: 0 } })

  const user = await joinMumble(port, 'Orrin')
  const joined = await statusOf(id, { players: { online: 1 } })
  await untilOnline(id, ['Orrin'])
  // The server closes the first connection of a user who connects again.
  const again = await joinMumble(port, 'Orrin')
  if (!user.closed) await once(user, 'close')
  const other = await joinMumble(port, 'Mara')
  await untilOnline(id, ['Orrin', 'Mara'])
  for (const socket of [again, other]) socket.end()
  await statusOf(id, { players: { online: 0 } })
  await untilOnline(id, [])

  expect(empty.version).toMatch(/^1\.\d+\.\d+$/)
  expect(joined.players.max).toBe(empty.players.max)
}, 90_000)

test('queries of OpenTTD are neither counted nor printed', async () => {
  const id = '0e0e0e05'
  const port = await start(id, 'openttd', { servername: 'OpenTTD here', mapsize: '7', maxclients: 9 })
  const status = await statusOf(id, { name: 'OpenTTD here', players: { online: 0, max: 9 } })

  const asked = Array.from({ length: 5 }, () =>
    readOpenTtd({ host: '127.0.0.1', port, signal: AbortSignal.timeout(20_000) }),
  )
  const counts = (await Promise.all(asked)).map(({ online }) => online)

  const { body } = await node.client.send(getConsole, { params: { id } })
  expect(status.version).toMatch(/^\d+\.\d+/)
  expect(counts).toEqual([0, 0, 0, 0, 0])
  expect(body.logs).toContain('players can join')
  expect(body.logs).not.toMatch(/Client connected|closed connection/)
}, 90_000)

test('a game that nothing asks has no players', async () => {
  const id = '0e0e0e06'
  await start(id, 'luanti')

  const { body } = await node.client.send(getPlayers, { params: { id } })

  expect(body).toMatchObject({ isAsked: false, online: [] })
}, 90_000)
