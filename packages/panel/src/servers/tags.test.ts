import { listActivity } from '@innkeeper/contract/activity/activity'
import * as calls from '@innkeeper/contract/servers/servers'
import { expect } from 'vitest'
import { type TestPanel, type TestUser, test } from '../testing/test-panel.ts'

const put = (testPanel: TestPanel, id: string, tags: readonly string[], as: TestUser) =>
  testPanel.send(calls.putServerTags, { params: { id }, body: { tags: [...tags] } }, as)

const readTags = async (testPanel: TestPanel, id: string, as: TestUser) =>
  (await testPanel.send(calls.getServer, { params: { id }, query: {} }, as)).answer.server.tags

test('the tags of a server are replaced, sorted and unique without regard to case', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]

  const first = await put(testPanel, id, [' Modded ', 'EU', 'modded'], admin)
  const tags = await readTags(testPanel, id, admin)
  await put(testPanel, id, [], admin)

  expect(first.status).toBe(204)
  expect(tags).toEqual(['EU', 'Modded'])
  expect(await readTags(testPanel, id, admin)).toEqual([])
})

test('tags are added and removed, other tags stay', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  await put(testPanel, id, ['EU', 'old'], admin)

  const body = { add: ['eu', 'new'], remove: ['OLD', 'absent'] }
  const { status } = await testPanel.send(calls.changeServerTags, { params: { id }, body }, admin)

  expect(status).toBe(204)
  expect(await readTags(testPanel, id, admin)).toEqual(['EU', 'new'])
})

test('concurrent changes of one server are all applied', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const names = ['a', 'b', 'c', 'd', 'e', 'f']

  const replies = await Promise.all(
    names.map((tag) => testPanel.send(calls.changeServerTags, { params: { id }, body: { add: [tag] } }, admin)),
  )

  expect(replies.map(({ status }) => status)).toEqual(names.map(() => 204))
  expect(await readTags(testPanel, id, admin)).toEqual(names)
})

test('an outdated change of the name or the tags is refused, until it was read again', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server({ name: 'lobby' })]
  const ifMatch = async () => {
    const { headers } = await testPanel.send(calls.getServer, { params: { id }, query: {} }, admin)
    return { 'if-match': String(headers.etag) }
  }
  const putTags = (tags: string[], headers?: Record<string, string>) =>
    testPanel.send(calls.putServerTags, { params: { id }, body: { tags } }, admin, headers)
  const rename = (name: string, headers?: Record<string, string>) =>
    testPanel.send(calls.renameServer, { params: { id, name } }, admin, headers)
  const seen = await ifMatch()

  const current = [await putTags(['EU'], seen), await rename('hub', await ifMatch())]
  const outdated = [await putTags(['US'], seen), await rename('arena', seen)]
  const { answer } = await testPanel.send(calls.getServer, { params: { id }, query: {} }, admin)

  expect(current.map(({ status }) => status)).toEqual([204, 204])
  expect(outdated.map(({ status, refusal }) => [status, refusal])).toEqual(Array(2).fill([412, 'ErrStaleVersion']))
  expect(answer.server).toMatchObject({ name: 'hub', tags: ['EU'] })
  const anyVersion = [await putTags(['US']), await rename('arena')]
  expect(anyVersion.map(({ status }) => status)).toEqual([204, 204])
})

test.for([
  [['x'.repeat(25)], 'ErrFieldTooLarge'],
  [['a,b'], 'ErrFieldInvalid'],
  [['a\u202eb'], 'ErrFieldMustBePrintable'],
  [['  '], 'ErrFieldRequired'],
  [Array.from({ length: 11 }, (_, index) => `t${index}`), 'ErrFieldTooLarge'],
] as const)('the tags %j are rejected with %s', async ([tags, code], { testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]

  expect((await put(testPanel, id, tags, admin)).refusal).toBe(code)
  expect(await readTags(testPanel, id, admin)).toEqual([])
})

test('an eleventh tag cannot be added', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const ten = Array.from({ length: 10 }, (_, index) => `t${index}`)
  await put(testPanel, id, ten, admin)

  const reply = await testPanel.send(calls.changeServerTags, { params: { id }, body: { add: ['more'] } }, admin)

  expect([reply.refusal, reply.metadata]).toEqual(['ErrFieldTooLarge', { field: 'tags', max: 10 }])
  expect(await readTags(testPanel, id, admin)).toEqual(ten)
})

test('the list is filtered by tags over all pages, and returns the available tags', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  for (const [name, tags] of [
    ['a', ['EU', 'modded']],
    ['b', ['eu']],
    ['c', ['modded']],
    ['d', []],
  ] as const) {
    await put(testPanel, await testPanel.server({ name }), tags, admin)
  }
  const names = async (query: object) =>
    (await testPanel.send(calls.listServers, { query: { limit: 1, ...query } }, admin)).answer

  const eu = await names({ tag: 'Eu', page: 2 })
  const both = await names({ tag: 'eu, modded' })
  const { tags } = await names({ counts: 'true', tag: 'modded' })

  expect([eu.servers.map(({ name }) => name), eu.paging.total]).toEqual([['b'], 2])
  expect([both.servers.map(({ name }) => name), both.paging.total]).toEqual([['a'], 1])
  expect(tags?.map(({ name, count }) => [name.toLowerCase(), count])).toEqual([
    ['eu', 2],
    ['modded', 2],
  ])
  expect((await names({ sort: 'tags' })).servers.map(({ name }) => name)).toEqual(['b'])
  expect((await names({ sort: 'tags', page: 4 })).servers.map(({ name }) => name)).toEqual(['d'])
})

test('tags of invisible servers are not returned', async ({ testPanel }) => {
  const [admin, ownServer, other] = [await testPanel.admin(), await testPanel.server(), await testPanel.server()]
  await put(testPanel, ownServer, ['mine'], admin)
  await put(testPanel, other, ['secret'], admin)
  const user = await testPanel.createUser({ on: { [ownServer]: [] } })

  const { answer } = await testPanel.send(calls.listServers, { query: { counts: 'true' } }, user)

  expect(answer.tags).toEqual([{ name: 'mine', count: 1 }])
})

test('users who may not edit the server cannot change its tags', async ({ testPanel }) => {
  const id = await testPanel.server()
  const user = await testPanel.createUser({ on: { [id]: ['startServer'] } })

  expect((await put(testPanel, id, ['mine'], user)).refusal).toBe('ErrMissingScope')
})

test('a change of tags is recorded with the new tags', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]

  await put(testPanel, id, ['modded', 'EU'], admin)

  const { answer } = await testPanel.send(listActivity, { query: { action: 'server.tags' } }, admin)
  expect(answer.activity).toMatchObject([{ action: 'server.tags', server: id, target: 'modded, EU' }])
})

test('the tags of a deleted server are deleted', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  await put(testPanel, id, ['EU'], admin)

  await testPanel.send(calls.deleteServer, { params: { id }, query: {} }, admin)

  expect(await testPanel.db.selectFrom('server_tags').selectAll().execute()).toEqual([])
})
