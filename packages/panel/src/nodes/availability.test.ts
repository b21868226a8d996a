import { listActivity } from '@innkeeper/contract/activity/activity'
import { cloneServer } from '@innkeeper/contract/clones/clones'
import { type NewAvailability, putNodeAvailability } from '@innkeeper/contract/nodes/node-availability'
import { createNode, deleteNode, listNodeChoices, listNodes } from '@innkeeper/contract/nodes/nodes'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getServer, listServers } from '@innkeeper/contract/servers/servers'
import { test as base, expect } from 'vitest'
import { TestPanel, type TestUser } from '../testing/test-panel.ts'

const hour = 60 * 60 * 1000

interface Fixture {
  readonly testPanel: TestPanel
  readonly admin: TestUser
  readonly now: () => number
  pass(ms: number): void
  readonly put: (body: NewAvailability, id?: number) => Promise<{ status: number; refusal: string | undefined }>
  readonly create: (name: string) => Promise<{ status: number; refusal: string | undefined; metadata: object }>
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    let passed = 0
    const now = () => Date.now() + passed
    const testPanel = await TestPanel.start({ now })
    const admin = await testPanel.admin()
    const pass = (ms: number) => {
      passed += ms
    }
    const put: Fixture['put'] = async (body, id = 0) =>
      await testPanel.send(putNodeAvailability, { params: { id }, body }, admin)
    const create: Fixture['create'] = async (name) =>
      await testPanel.send(createServer, { body: { name, node: 0, type: 'x', run: {}, data: {} } }, admin)
    await use({ testPanel, admin, now, pass, put, create })
    await testPanel.stop()
  },
})

test('a draining node takes no new servers and no clones until it is active again', async ({ fixture }) => {
  const { testPanel, admin, put, create } = fixture
  const source = await testPanel.server({ name: 'source' })

  expect((await put({ state: 'draining' })).status).toBe(204)

  expect(await create('lobby')).toMatchObject({
    status: 409,
    refusal: 'ErrNodeDraining',
    metadata: { node: 'LocalNode' },
  })
  const clone = { params: { id: source }, body: { name: 'copy', node: 0 } }
  expect((await testPanel.send(cloneServer, clone, admin)).refusal).toBe('ErrNodeDraining')
  expect(await testPanel.db.selectFrom('port_reservations').selectAll().execute()).toEqual([])
  expect(testPanel.node.definitions.size).toBe(1)
  expect((await testPanel.send(listNodeChoices, {}, admin)).answer[0]?.availability).toEqual({ state: 'draining' })

  await put({ state: 'active' })
  expect((await create('lobby')).status).toBe(200)
  const { activity } = (await testPanel.send(listActivity, { query: {} }, admin)).answer
  expect(activity.filter(({ action }) => action === 'node.availability').map(({ target }) => target)).toEqual([
    'LocalNode: active',
    'LocalNode: draining',
  ])
})

test('users see why a node is in maintenance and until when, and it ends by itself', async ({ fixture }) => {
  const { testPanel, admin, now, pass, put, create } = fixture
  const server = await testPanel.server({ name: 'lobby' })
  const member = await testPanel.createUser({ on: { [server]: [] } })
  const until = new Date(now() + hour).toISOString()
  const read = async () => [
    (await testPanel.send(getServer, { params: { id: server }, query: {} }, member)).answer.server.node.availability,
    (await testPanel.send(listServers, { query: {} }, member)).answer.servers[0]?.node.availability,
    (await testPanel.send(listNodes, {}, admin)).answer[0]?.availability,
  ]

  await put({ state: 'maintenance', reason: ' New disks ', until })

  const maintenance = { state: 'maintenance', reason: 'New disks', until }
  expect(await read()).toEqual([maintenance, maintenance, maintenance])
  expect(await create('other')).toMatchObject({
    refusal: 'ErrNodeInMaintenance',
    metadata: { node: 'LocalNode', reason: 'New disks' },
  })

  pass(hour)
  expect(await read()).toEqual([undefined, undefined, undefined])
  // The clock of the node has not moved, so it refuses the request.
  expect((await create('other')).refusal).toBe('ErrServiceNotAvailable')
})

test('a maintenance needs a reason, an end in the future and a node that exists', async ({ fixture }) => {
  const { testPanel, admin, now, put } = fixture
  const ended = new Date(now() - 1).toISOString()
  const { id } = (await testPanel.send(createNode, { body: { name: 'far', publicHost: 'far.example.org' } }, admin))
    .answer

  expect((await put({ state: 'maintenance', reason: '  ' })).status).toBe(400)
  expect((await put({ state: 'maintenance', reason: 'x', until: ended })).refusal).toBe('ErrFieldNotFuture')
  expect((await put({ state: 'draining' }, 77)).status).toBe(404)
  const editor = await testPanel.createUser({ scopes: ['nodes.view', 'nodes.edit'] })
  const draining = { params: { id }, body: { state: 'draining' } as const }
  expect((await testPanel.send(putNodeAvailability, draining, editor)).status).toBe(204)

  await testPanel.send(deleteNode, { params: { id }, query: {} }, admin)

  expect(await testPanel.db.selectFrom('node_availability').selectAll().execute()).toEqual([])
})
