import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { killServer, sendCommand, startServer } from '@innkeeper/contract/servers/node-servers'
import * as calls from '@innkeeper/contract/servers/player-sessions'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { expect, vi } from 'vitest'
import { program, type TestNode } from '../testing/daemon.ts'
import { testOnClearedNode as test } from '../testing/node-test.ts'

const id = '0d1d2d3d'
const params = { id }
const wait = { wait: true }
const patience = { timeout: 15_000 }
const patterns = {
  chat: '^echo: <(?<name>\\w+)> ',
  join: '^echo: (?<name>\\S+?)(?:#(?<id>\\d+))? joined$',
  leave: ' (?<name>\\w+) left$',
}
const view = { params, permissions: ['viewServerPlayers' as const] }

async function startServerWithPatterns({ client }: TestNode): Promise<void> {
  await client.create(id, program('echo'), { players: { patterns } })
  await client.send(startServer, { params, query: wait })
}

const print = async ({ client }: TestNode, ...lines: readonly string[]) => {
  for (const body of lines) await client.send(sendCommand, { params, body })
}

const readOnline = async ({ client }: TestNode): Promise<string[]> =>
  (await client.send(getPlayers, view)).body.online.map(({ name }: { name: string }) => name)

const readSessions = async ({ client }: TestNode, query = '') =>
  (await client.send(calls.listPlayerSessions, { ...view, query: { query } })).body

test('who joins and leaves by lines of the console is online, and then was', async ({ node }) => {
  await startServerWithPatterns(node)

  await print(node, 'Ann#7 joined', '<Ann> Eve joined', 'Ben joined', 'Ann left')
  await vi.waitFor(async () => expect(await readOnline(node)).toEqual(['Ben']), patience)
  const before = await readSessions(node)
  const usage = await node.client.asPanel('GET', `/daemon/usage?ids=${id}`)
  await node.client.send(killServer, { params, query: wait })
  const after = await readSessions(node, 'BEN')
  const seen = await node.client.send(calls.listSeenPlayers, { ...view, query: { limit: 1 } })

  expect(before.sessions).toMatchObject([{ name: 'Ben' }, { name: 'Ann', id: '7', until: expect.any(String) }])
  expect(before.sessions[0]).not.toHaveProperty('until')
  expect(usage.body[0].players).toEqual({ online: 1, max: 0 })
  expect(after.sessions).toMatchObject([{ name: 'Ben', until: expect.any(String) }])
  expect(await readOnline(node)).toEqual([])
  expect(seen.body).toMatchObject({ players: [{ name: 'Ben', sessions: 1, isOnline: false }], paging: { total: 2 } })
})

test('changed patterns apply to the running server', async ({ node }) => {
  await node.client.create(id, program('echo'))
  await node.client.send(startServer, { params, query: wait })
  const definition = { type: 'test', run: { command: program('echo'), stop: 'stop' }, players: { patterns } }

  await node.client.send(putDefinition, { params, body: definition })
  await print(node, 'Ann joined')

  await vi.waitFor(async () => expect(await readOnline(node)).toEqual(['Ann']), patience)
})

test('sessions are exported, and deleted by who may change the server', async ({ node }) => {
  await startServerWithPatterns(node)
  await print(node, '=1+2 joined', 'Ben joined')
  await vi.waitFor(async () => expect(await readOnline(node)).toHaveLength(2), patience)
  const send = node.client.send.bind(node.client)

  const csv = await send(calls.exportPlayerSessions, view)
  const lines = await send(calls.exportPlayerSessions, { ...view, query: { format: 'jsonl' } })
  const denied = await send(calls.deletePlayerSessions, { ...view, body: { name: 'Ben' } })
  const editor = { params, permissions: ['editServerData' as const] }
  await send(calls.deletePlayerSessions, { ...editor, body: { name: 'Ben' } })
  const withoutBen = await readSessions(node)
  await send(calls.deleteAllPlayerSessions, editor)

  expect(csv.headers['content-disposition']).toContain(`${id}-players.csv`)
  expect(csv.body).toMatch(/^"name","id","since","until"\r\n"'=1\+2","","\d{4}-.*\r\n"Ben",/)
  expect(JSON.parse(lines.body.split('\n')[0])).toMatchObject({ name: '=1+2' })
  expect(denied.status).toBe(403)
  expect(withoutBen.sessions).toMatchObject([{ name: '=1+2' }])
  expect(await readSessions(node)).toMatchObject({ sessions: [], paging: { total: 0 } })
})

test('a server that is deleted takes the sessions with it', async ({ node }) => {
  await startServerWithPatterns(node)
  await print(node, 'Ann joined', 'Ben joined', 'Ann left')
  await vi.waitFor(async () => expect(await readOnline(node)).toEqual(['Ben']), patience)
  await readSessions(node)
  const folder = join(node.dataDir, 'players')
  const before = await readdir(folder)

  await node.client.send(killServer, { params, query: wait })
  await node.client.asPanel('DELETE', `/daemon/server/${id}`)

  expect(before.toSorted()).toEqual([`${id}.online`, `${id}.sessions`])
  expect(await readdir(folder)).toEqual([])
})
