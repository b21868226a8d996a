import type { RequestOf } from '@innkeeper/contract/api/endpoint'
import * as calls from '@innkeeper/contract/servers/servers'
import { expect } from 'vitest'
import { test } from '../testing/test-panel.ts'

test('text is found in name, address, node and tags, over all pages and in the counts', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const lobby = await testPanel.server({ name: 'Lobby', ip: '10.0.0.1', port: 100 })
  await testPanel.server({ name: 'arena', ip: '10.0.0.2', port: 200 })
  await testPanel.send(calls.putServerTags, { params: { id: lobby }, body: { tags: ['Modded'] } }, admin)
  const find = async (query: string) => {
    const { answer } = await testPanel.send(calls.listServers, { query: { query, counts: 'true' } }, admin)
    const sum = Object.values(answer.counts ?? {}).reduce((total, count) => total + count, 0)
    return [answer.servers.map(({ name }) => name), answer.paging.total, sum]
  }

  expect(await find('OBB')).toEqual([['Lobby'], 1, 1])
  expect(await find('0.2:200')).toEqual([['arena'], 1, 1])
  expect(await find('modd')).toEqual([['Lobby'], 1, 1])
  expect(await find('localnode')).toEqual([['arena', 'Lobby'], 2, 2])
  expect(await find('*')).toEqual([[], 0, 0])
})

test('each server has the permissions of the user on request', async ({ testPanel }) => {
  const [some, all] = [await testPanel.server({ name: 'a' }), await testPanel.server({ name: 'b' })]
  const user = await testPanel.createUser({ on: { [some]: ['startServer'], [all]: ['startServer', 'stopServer'] } })

  const list = async (query: RequestOf<typeof calls.listServers>['query']) =>
    (await testPanel.send(calls.listServers, { query: { ...query, permissions: 'true' } }, user)).answer.servers
  const plain = await testPanel.send(calls.listServers, { query: {} }, user)

  for (const servers of [await list({}), await list({ counts: 'true' })])
    expect(servers.map(({ permissions }) => permissions)).toEqual([['startServer'], ['startServer', 'stopServer']])
  expect(plain.answer.servers.map((server) => 'permissions' in server)).toEqual([false, false])
})

test('names are sorted as people sort them, over all pages and after a rename', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const ids = new Map<string, string>()
  for (const name of ['a105', 'a15', 'A5', 'Été 2', 'été 10', 'zoo']) ids.set(name, await testPanel.server({ name }))
  const list = async (page: string) => {
    const { answer } = await testPanel.send(calls.listServers, { query: { limit: '4', page } }, admin)
    return answer.servers.map(({ name }) => name)
  }
  expect([await list('1'), await list('2')]).toEqual([
    ['A5', 'a15', 'a105', 'Été 2'],
    ['été 10', 'zoo'],
  ])

  await testPanel.send(calls.renameServer, { params: { id: ids.get('zoo') ?? '', name: 'a7' } }, admin)

  expect(await list('1')).toEqual(['A5', 'a7', 'a15', 'a105'])
})

test('names in any script are found in any case, in both forms of their accents', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  for (const name of ['Выживание', 'Serveur Été', 'サーバー']) await testPanel.server({ name })
  const find = async (query: { query: string } | { name: string }) => {
    const { answer } = await testPanel.send(calls.listServers, { query }, admin)
    return answer.servers.map(({ name }) => name)
  }

  expect(await find({ query: 'ВЫЖ' })).toEqual(['Выживание'])
  expect(await find({ query: 'e\u0301te\u0301' })).toEqual(['Serveur Été'])
  expect(await find({ name: '*ÉTÉ*' })).toEqual(['Serveur Été'])
  expect(await find({ name: 'サーバー' })).toEqual(['サーバー'])
})
