import { getTaskPermissions } from '@innkeeper/contract/node-to-panel'
import { test as base, expect } from 'vitest'
import { AskingNode } from '../testing/asking-node.ts'
import { House } from '../testing/house.ts'

interface Inn {
  readonly house: House
  readonly server: string
  /** What people may do there, as our node learns it. */
  rights(...userIds: number[]): Promise<unknown>
}

const test = base.extend<{ inn: Inn }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  inn: async ({}, use) => {
    const node = await AskingNode.make()
    const house = await House.build({}, node.publicKey)
    const server = await house.server()
    const rights = async (...userIds: number[]) => {
      const people = userIds.map((userId) => ({ userId, server }))
      return (await node.ask(house, getTaskPermissions, { body: { people } })).answer.rights
    }
    await use({ house, server, rights })
    await house.pullDown()
  },
})

test('a node learns what people may do on its servers at this moment, all asked at once', async ({ inn }) => {
  const { house, server, rights } = inn
  const person = await house.person({ on: { [server]: ['startServer'] } })
  const viewer = await house.person({ on: { [server]: [] } })
  const [stranger, admin] = [await house.person(), await house.admin()]

  const answer = await rights(person.id, admin.id, viewer.id, stranger.id, 4711)

  expect(answer).toEqual([
    expect.arrayContaining(['viewServer', 'startServer']),
    expect.arrayContaining(['admin', 'putServerFiles']),
    ['viewServer'],
    null,
    null,
  ])
  expect(await rights()).toEqual([])
})

test('what was taken away is gone, with the account and with the server', async ({ inn }) => {
  const { house, server, rights } = inn
  const [person, leaver, admin] = [
    await house.person({ on: { [server]: ['startServer'] } }),
    await house.person({ on: { [server]: ['startServer'] } }),
    await house.admin(),
  ]

  await house.give(person.id, server, ['stopServer'])
  await house.db.deleteFrom('users').where('id', '=', leaver.id).execute()

  expect(await rights(person.id, leaver.id)).toEqual([['viewServer', 'stopServer'], null])
  await house.db.updateTable('servers').set({ node_id: 7 }).where('id', '=', server).execute()
  expect(await rights(person.id, admin.id)).toEqual([null, null])
})
