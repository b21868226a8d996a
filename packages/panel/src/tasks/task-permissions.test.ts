import { getTaskPermissions } from '@innkeeper/contract/node-link/node-to-panel'
import { test as base, expect } from 'vitest'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { TestPanel } from '../testing/test-panel.ts'

interface Fixture {
  readonly testPanel: TestPanel
  readonly server: string
  /** Permissions of users, as the local node gets them. */
  readPermissions(...userIds: number[]): Promise<unknown>
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    const node = await SignedNodeClient.make()
    const testPanel = await TestPanel.start({}, node.publicKey)
    const server = await testPanel.server()
    const readPermissions = async (...userIds: number[]) => {
      const users = userIds.map((userId) => ({ userId, server }))
      return (await node.request(testPanel, getTaskPermissions, { body: { people: users } })).answer.rights
    }
    await use({ testPanel, server, readPermissions })
    await testPanel.stop()
  },
})

test('a node gets the current permissions of users on its servers, in one request', async ({ fixture }) => {
  const { testPanel, server, readPermissions } = fixture
  const user = await testPanel.createUser({ on: { [server]: ['startServer'] } })
  const viewer = await testPanel.createUser({ on: { [server]: [] } })
  const [otherUser, admin] = [await testPanel.createUser(), await testPanel.admin()]

  const answer = await readPermissions(user.id, admin.id, viewer.id, otherUser.id, 4711)

  expect(answer).toEqual([
    expect.arrayContaining(['viewServer', 'startServer']),
    expect.arrayContaining(['admin', 'putServerFiles']),
    ['viewServer'],
    null,
    null,
  ])
  expect(await readPermissions()).toEqual([])
})

test('revoked permissions and deleted users or servers are null', async ({ fixture }) => {
  const { testPanel, server, readPermissions } = fixture
  const [user, leaver, admin] = [
    await testPanel.createUser({ on: { [server]: ['startServer'] } }),
    await testPanel.createUser({ on: { [server]: ['startServer'] } }),
    await testPanel.admin(),
  ]

  await testPanel.grant(user.id, server, ['stopServer'])
  await testPanel.db.deleteFrom('users').where('id', '=', leaver.id).execute()

  expect(await readPermissions(user.id, leaver.id)).toEqual([['viewServer', 'stopServer'], null])
  await testPanel.db.updateTable('servers').set({ node_id: 7 }).where('id', '=', server).execute()
  expect(await readPermissions(user.id, admin.id)).toEqual([null, null])
})
