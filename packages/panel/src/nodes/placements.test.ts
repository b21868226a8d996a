import { putNodePorts } from '@innkeeper/contract/nodes/node-ports'
import { createNode, listNodeChoices, listNodes } from '@innkeeper/contract/nodes/nodes'
import {
  createPlacement,
  defaultPlacement,
  getNodePlacement,
  type NewPlacement,
  placementMs,
  putNodePlacement,
} from '@innkeeper/contract/nodes/placement'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { test as base, expect } from 'vitest'
import { TestPanel, type TestUser } from '../testing/test-panel.ts'

const gibibyte = 1024 ** 3

interface Fixture {
  readonly testPanel: TestPanel
  readonly admin: TestUser
  pass(ms: number): void
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    let passed = 0
    const testPanel = await TestPanel.start({ now: () => Date.now() + passed })
    const pass = (ms: number) => {
      passed += ms
    }
    await use({ testPanel, admin: await testPanel.admin(), pass })
    await testPanel.stop()
  },
})

/** The node has reported 16 GiB of memory and 100 GiB of disk space, and has ten ports. */
async function report({ testPanel, admin }: Fixture, id: number, { memoryUsed = 4, labels = ['eu'] } = {}) {
  await testPanel.hasResources(id, memoryUsed)
  const ranges = [{ address: '10.0.0.7', from: 7000, to: 7009 }]
  await testPanel.send(putNodePorts, { params: { id }, body: { ranges } }, admin)
  const settings = { ...defaultPlacement, labels }
  expect((await testPanel.send(putNodePlacement, { params: { id }, body: settings }, admin)).status).toBe(204)
}

async function addNode({ testPanel, admin }: Fixture, name: string): Promise<number> {
  return (await testPanel.send(createNode, { body: { name, publicHost: 'far.example.org' } }, admin)).answer.id
}

async function place({ testPanel, admin }: Fixture, request: Partial<NewPlacement>, as = admin) {
  return await testPanel.send(createPlacement, { body: request }, as)
}

async function create({ testPanel, admin }: Fixture, placement: string, more: object = {}, as = admin) {
  const data = { ip: { value: '' }, port: { value: 1 }, queryport: { value: '2' } }
  const body = { name: 'lobby', type: 'x', run: {}, data, placement, ...more }
  return await testPanel.send(createServer, { body }, as)
}

test('a reservation says which node was chosen and why, and the server gets its ports and limits', async ({
  fixture,
}) => {
  const { testPanel, admin } = fixture
  const far = await addNode(fixture, 'far')
  await report(fixture, 0)
  await report(fixture, far, { memoryUsed: 8 })
  const request = { labels: ['eu'], memory: 2048, disk: 10_240, ports: 2 }

  const { answer, status } = await place(fixture, request)

  expect(status).toBe(200)
  expect(answer).toMatchObject({
    node: { id: 0, name: 'LocalNode' },
    reason: 'It has the largest share of free memory of the 2 nodes that fit: 12 GiB of 16 GiB',
    ports: [7000, 7001].map((port) => ({ address: '10.0.0.7', port })),
  })
  const choices = (await testPanel.send(listNodeChoices, {}, admin)).answer
  expect(choices.map(({ room }) => room && room.memory.free / gibibyte)).toEqual([10, 8])
  const outsider = await testPanel.createUser({ scopes: ['servers.create'] })
  expect((await create(fixture, answer.id, {}, outsider)).refusal).toBe('ErrMissingScope')
  const tooLarge = { environment: { type: 'standard', limits: { memory: 4096 } } }
  const refused = await create(fixture, answer.id, tooLarge)
  expect([refused.refusal, refused.metadata]).toMatchObject(['ErrFieldTooLarge', { max: '2048 MiB' }])

  // The node in the request is ignored.
  const { id } = (await create(fixture, answer.id, { node: far })).answer

  expect(testPanel.node.definitions.get(id)).toMatchObject({
    environment: { type: 'standard', limits: { memory: 2048, disk: 10_240 } },
    data: { ip: { value: '10.0.0.7' }, port: { value: 7000 }, queryport: { value: '7001' } },
  })
  const row = await testPanel.db
    .selectFrom('servers')
    .select(['node_id', 'port'])
    .where('id', '=', id)
    .executeTakeFirst()
  expect(row).toEqual({ node_id: 0, port: 7000 })
  expect((await create(fixture, answer.id, { name: 'second' })).refusal).toBe('ErrPlacementExpired')
})

test('an expired reservation, and one of another user, creates nothing', async ({ fixture }) => {
  const { testPanel, pass } = fixture
  await report(fixture, 0)
  const { answer } = await place(fixture, { memory: 1024 })
  const other = await testPanel.admin()

  expect((await create(fixture, answer.id, {}, other)).refusal).toBe('ErrPlacementExpired')
  pass(placementMs)
  expect((await create(fixture, answer.id)).refusal).toBe('ErrPlacementExpired')

  expect(await testPanel.db.selectFrom('servers').selectAll().execute()).toEqual([])
  expect(testPanel.node.definitions.size).toBe(0)
})

test('twenty concurrent requests never get the same room or port', async ({ fixture }) => {
  const far = await addNode(fixture, 'far')
  await report(fixture, 0)
  await report(fixture, far, { memoryUsed: 10 })
  await report(fixture, await addNode(fixture, 'elsewhere'), { labels: ['us'] })

  const replies = await Promise.all(
    Array.from({ length: 20 }, () => place(fixture, { labels: ['eu'], memory: 2048, ports: 1 })),
  )

  // 12 GiB are free on one node, and 6 GiB on the other.
  const placed = replies.filter(({ status }) => status === 200).map(({ answer }) => answer)
  const onNode = (id: number) => placed.filter(({ node }) => node.id === id)
  expect([onNode(0).length, onNode(far).length, placed.length]).toEqual([6, 3, 9])
  for (const id of [0, far]) {
    const ports = onNode(id).flatMap((one) => one.ports.map(({ port }) => port))
    expect(new Set(ports).size).toBe(ports.length)
  }
  const refused = replies.filter(({ status }) => status !== 200)
  expect(new Set(refused.map(({ refusal }) => refusal))).toEqual(new Set(['ErrNoNodeFits']))
  expect(refused[0]?.metadata).toEqual({
    missing: 'memory',
    reason: 'no node with the label eu has 2 GiB of free memory. The most is 0 MiB on LocalNode',
  })
})

test('labels and factors of a node are saved with a version, and shown with its room', async ({ fixture }) => {
  const { testPanel, admin } = fixture
  await report(fixture, 0)
  const params = { id: 0 }
  const first = await testPanel.send(getNodePlacement, { params }, admin)
  const settings = { labels: ['ssd', 'eu', 'eu'], memoryFactor: 1.5, diskFactor: 1 }
  const headers = { 'if-match': String(first.headers.etag) }

  expect((await testPanel.send(putNodePlacement, { params, body: settings }, admin, headers)).status).toBe(204)
  expect((await testPanel.send(putNodePlacement, { params, body: settings }, admin, headers)).refusal).toBe(
    'ErrStaleVersion',
  )

  const { answer } = await testPanel.send(getNodePlacement, { params }, admin)
  expect(answer.settings).toEqual({ labels: ['eu', 'ssd'], memoryFactor: 1.5, diskFactor: 1 })
  expect(answer.room?.memory).toEqual({ total: 24 * gibibyte, free: 20 * gibibyte })
  expect((await testPanel.send(listNodes, {}, admin)).answer[0]?.labels).toEqual(['eu', 'ssd'])
  const wrong = { ...settings, labels: ['Two words'] }
  expect((await testPanel.send(putNodePlacement, { params, body: wrong }, admin)).status).toBe(400)
})
