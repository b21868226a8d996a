import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import {
  checkPort,
  findFreePorts,
  getNodePorts,
  type PortInUse,
  type PortRange,
  putNodePorts,
} from '@innkeeper/contract/nodes/node-ports'
import { createNode, deleteNode } from '@innkeeper/contract/nodes/nodes'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { test as base, describe, expect } from 'vitest'
import { TestPanel, type TestUser } from '../testing/test-panel.ts'
import { allocate } from './ports.ts'

interface Fixture {
  readonly testPanel: TestPanel
  readonly admin: TestUser
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    const testPanel = await TestPanel.start()
    await use({ testPanel, admin: await testPanel.admin() })
    await testPanel.stop()
  },
})

const local = { params: { id: 0 } }
const range: PortRange = { address: '10.0.0.7', from: 7000, to: 7003, note: 'the inner network' }

async function withRange({ testPanel, admin }: Fixture): Promise<void> {
  expect((await testPanel.send(putNodePorts, { ...local, body: { ranges: [range] } }, admin)).status).toBe(204)
}

async function serverAt({ testPanel, admin }: Fixture, name: string, ip: string, port: number): Promise<string> {
  const body = { name, node: 0, type: 'x', run: {}, data: { ip: { value: ip }, port: { value: port } } }
  return (await testPanel.send(createServer, { body }, admin)).answer.id
}

async function readFree({ testPanel, admin }: Fixture, count = 10) {
  return (await testPanel.send(findFreePorts, { ...local, query: { count } }, admin)).answer
}

describe('ports of a node', () => {
  test('the local node has ranges as well, and ports of its servers are reserved', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    await withRange(fixture)
    const id = await serverAt(fixture, 'lobby', '0.0.0.0', 7001)
    await serverAt(fixture, 'portless', '', 0)

    const { answer } = await testPanel.send(getNodePorts, local, admin)

    const reserved = [{ address: '0.0.0.0', port: 7001, server: { id, name: 'lobby' } }]
    expect(answer).toEqual({ ranges: [range], reserved })
  })

  test('free ports are not allocated and not in use', async ({ fixture }) => {
    await withRange(fixture)
    await serverAt(fixture, 'lobby', '0.0.0.0', 7000)
    await serverAt(fixture, 'elsewhere', '10.0.0.8', 7001)
    fixture.testPanel.node.portsInUse = [{ address: '10.0.0.7', port: 7002, protocol: 'udp' }]

    const ports = [7001, 7003].map((port) => ({ address: '10.0.0.7', port }))
    expect(await readFree(fixture)).toEqual({ hasRanges: true, ports, isChecked: true })
    expect((await readFree(fixture, 1)).ports).toEqual(ports.slice(0, 1))
  })

  test('further ports in the variables of servers, also of offline ones, are not free', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    await withRange(fixture)
    const data = {
      ip: { value: '' },
      port: { value: 7000 },
      queryport: { value: '7001' },
      'rcon-port': { value: 7002 },
    }
    await testPanel.send(createServer, { body: { name: 'lobby', node: 0, type: 'x', run: {}, data } }, admin)

    expect((await readFree(fixture)).ports).toEqual([{ address: '10.0.0.7', port: 7003 }])
  })

  test('ports to replace are free ones of the ranges, and then the next ones', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    await serverAt(fixture, 'lobby', '0.0.0.0', 25_565)
    const instead = async (ports: string) =>
      (await testPanel.send(findFreePorts, { ...local, query: { instead: ports } }, admin)).answer.ports

    expect(await instead('25565,25566,30000')).toEqual([25_566, 25_567, 30_000].map((port) => ({ address: '', port })))
    await withRange({ testPanel, admin })
    expect((await instead('25565,25566')).map(({ port }) => port)).toEqual([7000, 7001])
  })

  test('ports of a node that does not respond are allocated unchecked', async ({ fixture }) => {
    await withRange(fixture)
    fixture.testPanel.node.refuse(panelEndpoints.listPortsInUse, new Refusal('ErrServiceNotAvailable'))

    expect(await readFree(fixture, 1)).toEqual({
      hasRanges: true,
      ports: [{ address: '10.0.0.7', port: 7000 }],
      isChecked: false,
    })
  })

  test('a node without ranges has no free ports', async ({ fixture }) => {
    expect(await readFree(fixture)).toMatchObject({ hasRanges: false, ports: [] })
  })

  test('checking a port returns its server, with the name only for users who may see it', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const id = await serverAt(fixture, 'lobby', '', 7000)
    const inUse: PortInUse[] = [
      { address: '::', port: 7000, protocol: 'tcp' },
      { address: '127.0.0.1', port: 7000, protocol: 'tcp' },
      { address: '127.0.0.1', port: 7001, protocol: 'udp' },
    ]
    testPanel.node.portsInUse = inUse
    const creator = await testPanel.createUser({ scopes: ['servers.create'] })
    const ask = async (port: number, user: TestUser) =>
      (await testPanel.send(checkPort, { ...local, query: { address: '10.0.0.7', port } }, user)).answer

    const used = { isReserved: true, inUse: ['tcp'], isChecked: true }
    expect(await ask(7000, admin)).toEqual({ ...used, server: { id, name: 'lobby' } })
    expect(await ask(7000, creator)).toEqual(used)
    expect(await ask(7001, creator)).toEqual({ isReserved: false, inUse: [], isChecked: true })
  })

  test.for([
    ['an address that is a name', { address: 'host' }, 'ErrFieldIsInvalidIP', 'ranges.0.address'],
    ['an end before its beginning', { to: 6999 }, 'ErrFieldInvalid', 'ranges.0.to'],
    ['a port beyond all ports', { to: 65_536 }, 'ErrFieldNotBetween', 'ranges.0.to'],
    ['a port below all ports', { from: 0 }, 'ErrFieldNotBetween', 'ranges.0.from'],
  ] as const)('a range with %s is rejected', async ([, wrong, code, field], { fixture }) => {
    const body = { ranges: [{ ...range, ...wrong }] }

    const sent = await fixture.testPanel.send(putNodePorts, { ...local, body }, fixture.admin)

    expect([sent.status, sent.refusal, sent.metadata?.field]).toEqual([400, code, field])
  })

  test('ranges are deleted with their node, and an unknown node has none', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const body = { name: 'far', publicHost: 'far.example.org' }
    const params = { id: (await testPanel.send(createNode, { body }, admin)).answer.id }
    await testPanel.send(putNodePorts, { params, body: { ranges: [range] } }, admin)

    await testPanel.send(deleteNode, { params, query: {} }, admin)

    expect((await testPanel.send(getNodePorts, { params }, admin)).refusal).toBe('ErrNotFound')
    expect(await testPanel.db.selectFrom('node_ports').selectAll().execute()).toEqual([])
  })
})

test('overlapping ranges return each port once', () => {
  const everywhere: PortRange = { address: '0.0.0.0', from: 1, to: 2 }
  const inner: PortRange = { address: '10.0.0.1', from: 1, to: 3 }

  const found = allocate([everywhere, inner, { ...inner, address: '::1', to: 4 }], [], 9)

  const addresses = found.map(({ address, port }) => `${address} ${port}`)
  expect(addresses).toEqual(['0.0.0.0 1', '0.0.0.0 2', '10.0.0.1 3', '::1 3', '::1 4'])
})
