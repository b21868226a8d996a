import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import {
  listUnregisteredServers,
  registerServer,
  stopUnregisteredServer,
} from '@innkeeper/contract/nodes/unregistered-servers'
import { stopServer } from '@innkeeper/contract/servers/node-servers'
import { getServer, listServers } from '@innkeeper/contract/servers/servers'
import { expect } from 'vitest'
import { test } from '../testing/test-panel.ts'

const params = { id: 0 }
const unknown = '0a0a0a0a'
const definition = {
  type: 'minecraft-java',
  display: 'Paper',
  data: { ip: { value: '127.0.0.1' }, port: { value: 25565 } },
  run: { command: 'java' },
}

test('a server that only the node has is listed, and one that both have is not', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  await testPanel.server()
  testPanel.node.definitions.set(unknown, definition)

  const { answer } = await testPanel.send(listUnregisteredServers, { params }, admin)

  expect(answer).toEqual([{ id: unknown, display: 'Paper', type: 'minecraft-java', running: true }])
})

test('a server is added to the panel with its address, and can then be used', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  testPanel.node.definitions.set(unknown, definition)

  const { status } = await testPanel.send(registerServer, { params: { ...params, server: unknown } }, admin)

  expect(status).toBe(204)
  const { answer } = await testPanel.send(getServer, { params: { id: unknown }, query: {} }, admin)
  expect(answer.server).toMatchObject({ id: unknown, name: unknown, ip: '127.0.0.1', port: 25565 })
  expect((await testPanel.send(listUnregisteredServers, { params }, admin)).answer).toEqual([])
})

test('a server is added once, and only when the node has it', async ({ testPanel }) => {
  const [admin, known] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.definitions.set(unknown, definition)
  const register = async (server: string) =>
    (await testPanel.send(registerServer, { params: { ...params, server } }, admin)).refusal

  const both = await Promise.all([register(unknown), register(unknown)])

  expect(both.toSorted()).toEqual(['ErrServerAlreadyExists', undefined])
  expect(await register(known)).toBe('ErrServerAlreadyExists')
  expect(await register('ffffffff')).toBe('ErrServerNotFound')
  expect((await testPanel.send(listServers, { query: {} }, admin)).answer.servers).toHaveLength(2)
})

test('a server that only the node has is stopped, and no other', async ({ testPanel }) => {
  const [admin, known] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.definitions.set(unknown, definition)
  const stop = async (server: string) =>
    (await testPanel.send(stopUnregisteredServer, { params: { ...params, server } }, admin)).refusal

  expect([await stop(unknown), await stop(known)]).toEqual([undefined, 'ErrServerAlreadyExists'])

  const stops = testPanel.node.received.filter(({ url }) => url.includes('/stop?'))
  expect(stops.map(({ url }) => url)).toEqual([`${stopServer.path.replace(':id', unknown)}?wait=true`])
})

test('an older node, which cannot list its servers, has none', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  testPanel.node.refuse(panelEndpoints.listServers, new Refusal('ErrNotFound'))

  expect((await testPanel.send(listUnregisteredServers, { params }, admin)).answer).toEqual([])
})
