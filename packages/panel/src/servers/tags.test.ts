import { listActivity } from '@innkeeper/contract/activity'
import * as calls from '@innkeeper/contract/servers'
import { expect } from 'vitest'
import { type House, type Person, test } from '../testing/house.ts'

const put = (house: House, id: string, tags: readonly string[], as: Person) =>
  house.send(calls.putServerTags, { params: { id }, body: { tags: [...tags] } }, as)

const tagsOf = async (house: House, id: string, as: Person) =>
  (await house.send(calls.getServer, { params: { id }, query: {} }, as)).answer.server.tags

test('the tags of a server are replaced, in alphabetical order and once each whatever the case', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]

  const first = await put(house, id, [' Modded ', 'EU', 'modded'], admin)
  const tags = await tagsOf(house, id, admin)
  await put(house, id, [], admin)

  expect(first.status).toBe(204)
  expect(tags).toEqual(['EU', 'Modded'])
  expect(await tagsOf(house, id, admin)).toEqual([])
})

test('tags are added and removed, the others stay', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]
  await put(house, id, ['EU', 'old'], admin)

  const body = { add: ['eu', 'new'], remove: ['OLD', 'absent'] }
  const { status } = await house.send(calls.changeServerTags, { params: { id }, body }, admin)

  expect(status).toBe(204)
  expect(await tagsOf(house, id, admin)).toEqual(['EU', 'new'])
})

test('concurrent changes of one server are all kept', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]
  const names = ['a', 'b', 'c', 'd', 'e', 'f']

  const replies = await Promise.all(
    names.map((tag) => house.send(calls.changeServerTags, { params: { id }, body: { add: [tag] } }, admin)),
  )

  expect(replies.map(({ status }) => status)).toEqual(names.map(() => 204))
  expect(await tagsOf(house, id, admin)).toEqual(names)
})

test.for([
  [['x'.repeat(25)], 'ErrFieldTooLarge'],
  [['a,b'], 'ErrFieldInvalid'],
  [['a\u202eb'], 'ErrFieldMustBePrintable'],
  [['  '], 'ErrFieldRequired'],
  [Array.from({ length: 11 }, (_, index) => `t${index}`), 'ErrFieldTooLarge'],
] as const)('the tags %j are refused with %s', async ([tags, code], { house }) => {
  const [admin, id] = [await house.admin(), await house.server()]

  expect((await put(house, id, tags, admin)).refusal).toBe(code)
  expect(await tagsOf(house, id, admin)).toEqual([])
})

test('an eleventh tag cannot be added', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]
  const ten = Array.from({ length: 10 }, (_, index) => `t${index}`)
  await put(house, id, ten, admin)

  const reply = await house.send(calls.changeServerTags, { params: { id }, body: { add: ['more'] } }, admin)

  expect([reply.refusal, reply.metadata]).toEqual(['ErrFieldTooLarge', { field: 'tags', max: 10 }])
  expect(await tagsOf(house, id, admin)).toEqual(ten)
})

test('the list is filtered by tags over all pages, and says which tags there are', async ({ house }) => {
  const admin = await house.admin()
  for (const [name, tags] of [
    ['a', ['EU', 'modded']],
    ['b', ['eu']],
    ['c', ['modded']],
    ['d', []],
  ] as const) {
    await put(house, await house.server({ name }), tags, admin)
  }
  const names = async (query: object) =>
    (await house.send(calls.listServers, { query: { limit: 1, ...query } }, admin)).answer

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

test('the tags of servers that the user does not see are not offered', async ({ house }) => {
  const [admin, mine, other] = [await house.admin(), await house.server(), await house.server()]
  await put(house, mine, ['mine'], admin)
  await put(house, other, ['secret'], admin)
  const person = await house.person({ on: { [mine]: [] } })

  const { answer } = await house.send(calls.listServers, { query: { counts: 'true' } }, person)

  expect(answer.tags).toEqual([{ name: 'mine', count: 1 }])
})

test('who may not edit the server changes no tags', async ({ house }) => {
  const id = await house.server()
  const person = await house.person({ on: { [id]: ['startServer'] } })

  expect((await put(house, id, ['mine'], person)).refusal).toBe('ErrMissingScope')
})

test('a change of tags is recorded with the new tags', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]

  await put(house, id, ['modded', 'EU'], admin)

  const { answer } = await house.send(listActivity, { query: { action: 'server.tags' } }, admin)
  expect(answer.activity).toMatchObject([{ action: 'server.tags', server: id, target: 'modded, EU' }])
})

test('the tags of a deleted server are gone', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]
  await put(house, id, ['EU'], admin)

  await house.send(calls.deleteServer, { params: { id }, query: {} }, admin)

  expect(await house.db.selectFrom('server_tags').selectAll().execute()).toEqual([])
})
