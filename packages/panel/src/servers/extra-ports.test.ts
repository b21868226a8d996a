import { listActivity } from '@innkeeper/contract/activity/activity'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { findFreePorts, putNodePorts } from '@innkeeper/contract/nodes/node-ports'
import * as calls from '@innkeeper/contract/servers/extra-ports'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { test as base, expect } from 'vitest'
import { TestPanel, type TestUser } from '../testing/test-panel.ts'

interface Fixture {
  readonly testPanel: TestPanel
  readonly admin: TestUser
  /** A user who may change the settings of the server. */
  readonly user: TestUser
  readonly id: string
}

const data = {
  ip: { value: '0.0.0.0' },
  port: { value: '7000' },
  voiceport: { type: 'integer', display: 'Voice port', value: '24454', userEdit: false },
  rconport: { type: 'integer', value: '24455', internal: true },
}
const environment = { type: 'docker', image: 'game', portBindings: ['0.0.0.0:${port}:${port}/tcp'] }

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    const testPanel = await TestPanel.start()
    const admin = await testPanel.admin()
    const ranges = [
      { address: '10.0.0.7', from: 7000, to: 7003 },
      { address: '0.0.0.0', from: 8000, to: 8001 },
    ]
    await testPanel.send(putNodePorts, { params: { id: 0 }, body: { ranges } }, admin)
    const body = { name: 'lobby', node: 0, type: 'x', run: {}, data, environment }
    const { id } = (await testPanel.send(createServer, { body }, admin)).answer
    const user = await testPanel.createUser({ on: { [id]: ['editServerData'] } })
    await use({ testPanel, admin, user, id })
    await testPanel.stop()
  },
})

const allow = ({ testPanel, admin, id }: Fixture, limit: number) =>
  testPanel.send(calls.putExtraPortLimit, { params: { id }, body: { limit } }, admin)
const take = ({ testPanel, user, id }: Fixture, body: { note?: string; variable?: string } = {}) =>
  testPanel.send(calls.takeExtraPort, { params: { id }, body }, user)
const edit = (
  { testPanel, user, id }: Fixture,
  body: { note?: string; variable?: string | null },
  name = 'extra_port_1',
) => testPanel.send(calls.editExtraPort, { params: { id, name }, body }, user)
const release = ({ testPanel, user, id }: Fixture, name = 'extra_port_1') =>
  testPanel.send(calls.releaseExtraPort, { params: { id, name } }, user)
const list = async ({ testPanel, user, id }: Fixture) =>
  (await testPanel.send(calls.listExtraPorts, { params: { id } }, user)).answer
const read = ({ testPanel, id }: Fixture) =>
  testPanel.node.definitions.get(id) as { data: typeof data & Record<string, object>; environment: typeof environment }

test('a port is taken within the limit, is a variable that a container publishes, and is given back', async ({
  fixture,
}) => {
  const before = structuredClone(read(fixture))
  expect((await take(fixture)).refusal).toBe('ErrTooMany')
  await allow(fixture, 1)

  const { answer: taken } = await take(fixture, { note: 'Web map' })

  expect(taken).toMatchObject({ name: 'extra_port_1', port: 7001, note: 'Web map' })
  expect(taken.address).toMatch(/:7001$/)
  expect(await list(fixture)).toEqual({
    limit: 1,
    ports: [taken],
    variables: [{ name: 'voiceport', display: 'Voice port' }],
  })
  expect(read(fixture).data.extra_port_1).toMatchObject({ value: '7001', userEdit: false })
  expect(read(fixture).environment.portBindings).toEqual([
    ...environment.portBindings,
    '0.0.0.0:${extra_port_1}:${extra_port_1}/tcp',
    '0.0.0.0:${extra_port_1}:${extra_port_1}/udp',
  ])
  expect((await take(fixture)).refusal).toBe('ErrTooMany')
  expect((await release(fixture)).status).toBe(204)
  expect(read(fixture)).toEqual(before)
  expect((await release(fixture)).refusal).toBe('ErrNotFound')
})

test('a port is written into a variable of the template, which has its former number again afterwards', async ({
  fixture,
}) => {
  await allow(fixture, 2)

  await take(fixture, { note: 'Voice chat', variable: 'voiceport' })

  expect(read(fixture).data.voiceport.value).toBe('7001')
  expect((await list(fixture)).ports).toMatchObject([{ port: 7001, variable: 'voiceport' }])
  // It has one already, and is not a port that users may choose.
  expect((await take(fixture, { variable: 'voiceport' })).metadata).toEqual({ field: 'variable' })
  expect((await take(fixture, { variable: 'rconport' })).refusal).toBe('ErrFieldInvalid')
  await edit(fixture, { note: 'Map' })
  expect((await list(fixture)).ports).toMatchObject([{ note: 'Map', variable: 'voiceport' }])
  await edit(fixture, { variable: null })
  expect(read(fixture).data.voiceport.value).toBe('24454')
  await edit(fixture, { variable: 'voiceport' })
  // Another server has the former number meanwhile.
  fixture.testPanel.node.portsInUse = [{ address: '0.0.0.0', port: 24_454, protocol: 'udp' }]
  await release(fixture)
  expect(read(fixture).data.voiceport.value).toBe('7002')
})

test('ports of 12 servers at once differ, and a server that takes several has no more than its limit', async ({
  fixture,
}) => {
  const { testPanel, admin } = fixture
  await testPanel.send(
    putNodePorts,
    { params: { id: 0 }, body: { ranges: [{ address: '0.0.0.0', from: 9000, to: 9099 }] } },
    admin,
  )
  const ids = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      const body = { name: `server ${at}`, node: 0, type: 'x', run: {}, data: { port: { value: 9090 + at } } }
      return (await testPanel.send(createServer, { body }, admin)).answer.id
    }),
  )
  const asAdmin = ids.map((id) => ({ ...fixture, user: admin, id }))
  await Promise.all(asAdmin.map((one) => allow(one, 1)))

  const taken = await Promise.all([...asAdmin, ...asAdmin].map((one) => take(one)))

  const ports = taken.filter(({ status }) => status === 200).map(({ answer }) => answer.port)
  expect(ports).toHaveLength(12)
  expect(new Set(ports).size).toBe(12)
  const { answer } = await testPanel.send(findFreePorts, { params: { id: 0 }, query: { count: 50 } }, admin)
  expect(answer.ports.filter(({ port }) => ports.includes(port))).toEqual([])
})

test('ports in use, of other addresses or while the server moves are not taken; a full range is said', async ({
  fixture,
}) => {
  const { testPanel, admin, id } = fixture
  testPanel.node.portsInUse = [7001, 7002, 8000].map((port) => ({ address: '0.0.0.0', port, protocol: 'udp' }))
  await allow(fixture, 5)
  const ports = [await take(fixture), await take(fixture)].map(({ answer }) => answer.port)
  expect(ports).toEqual([7003, 8001])
  expect((await take(fixture)).refusal).toBe('ErrNoFreePort')
  const other = { ...fixture, user: admin, id: await elsewhere(fixture) }
  await allow(other, 1)
  testPanel.node.portsInUse = []
  expect((await take(other)).answer.port).toBe(8000)
  const at = Date.now()
  const times = { started_at: at, updated_at: at, copy_until: null }
  const ids = { server_id: id, id: 'a-move', from_node: 0, to_node: 1, user_id: admin.id, copy_node: null }
  await testPanel.db
    .insertInto('moves')
    .values({ ...ids, ...times, state: 'copying', data: '{}', reservation: '' })
    .execute()
  expect((await take(fixture)).refusal).toBe('ErrServerMoving')
})

async function elsewhere({ testPanel, admin }: Fixture): Promise<string> {
  const body = { name: 'far', node: 0, type: 'x', run: {}, data: { ip: { value: '10.0.0.8' }, port: { value: 1 } } }
  return (await testPanel.send(createServer, { body }, admin)).answer.id
}

test('a node that does not respond changes nothing, and the activity has what was done', async ({ fixture }) => {
  const { testPanel, admin } = fixture
  await allow(fixture, 1)
  await take(fixture)
  testPanel.node.refuse(getDefinition, new Refusal('ErrServiceNotAvailable'))

  expect((await release(fixture)).refusal).toBe('ErrServiceNotAvailable')

  expect(read(fixture).data).toHaveProperty('extra_port_1')
  const { answer } = await testPanel.send(listActivity, { query: {} }, admin)
  const ofPorts = answer.activity.filter(({ action }) => action.startsWith('server.port.'))
  expect(ofPorts.map(({ action, target, result }) => [action, target, result])).toEqual([
    ['server.port.release', 'extra_port_1', 'refused'],
    ['server.port.take', '7001', 'done'],
    ['server.port.limit', '1', 'done'],
  ])
})
