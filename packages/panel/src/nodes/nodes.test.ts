import { getNodeFeatures, listNodeChoices, listNodes } from '@innkeeper/contract/nodes'
import { describe, expect, test as pure } from 'vitest'
import { House, test } from '../testing/house.ts'
import { localAddress } from './local-address.ts'

describe('the address of the local node', () => {
  pure.each([
    ['https://panel.example.org', 'x:1', false, 'panel.example.org', 443],
    ['http://panel.example.org', 'x:1', false, 'panel.example.org', 80],
    ['https://panel.example.org:8443/', 'x:1', false, 'panel.example.org', 8443],
    [undefined, '192.168.1.5:8080', false, '192.168.1.5', 8080],
    [undefined, 'panel.lan', true, 'panel.lan', 443],
    [undefined, '[::1]:8080', false, '::1', 8080],
    [undefined, 'not a host', false, '127.0.0.1', 8080],
  ])('master URL %s, asked at %s (https: %s): %s port %i', (masterUrl, host, isSecure, expected, port) => {
    expect(localAddress(masterUrl, { address: '', host, isSecure })).toEqual({ host: expected, port })
  })
})

test('the local node is in the list', async ({ house }) => {
  const person = await house.person({ scopes: ['nodes.view'] })

  const { answer } = await house.send(listNodes, {}, person)

  expect(answer).toMatchObject([{ id: 0, name: 'LocalNode', isLocal: true, sftpPort: 5657, publicHost: 'localhost' }])
})

test('who may create servers learns what each node can do, asked at most every ten seconds', async () => {
  let now = Date.now()
  const house = await House.build({ now: () => now })
  const person = await house.person({ scopes: ['servers.create'] })

  const { answer } = await house.send(listNodeChoices, {}, person)
  await house.send(listNodeChoices, {}, person)
  expect(answer).toMatchObject([{ id: 0, online: true, features: { environments: ['standard', 'tty'] } }])
  expect(house.node.taken).toHaveLength(1)

  now += 10_000
  await house.send(listNodeChoices, {}, person)
  expect(house.node.taken).toHaveLength(2)
  await house.pullDown()
})

test('a node that does not answer is a choice without features, until it is back', async ({ house }) => {
  const admin = await house.admin()
  await house.node.stop()

  const { answer } = await house.send(listNodeChoices, {}, admin)

  expect(answer).toMatchObject([{ id: 0, online: false }])
  expect(answer[0]).not.toHaveProperty('features')
})

test('who may look at nodes learns what one of them can do, and of which there is none', async ({ house }) => {
  const person = await house.person({ scopes: ['nodes.view'] })

  const { answer } = await house.send(getNodeFeatures, { params: { id: 0 } }, person)

  expect(answer).toMatchObject({ environments: ['standard', 'tty'] })
  expect((await house.ask('GET', '/api/nodes/7/features', undefined, person)).refusal).toBe('ErrNotFound')
  const other = await house.person({ scopes: ['servers.create'] })
  expect((await house.ask('GET', '/api/nodes/0/features', undefined, other)).refusal).toBe('ErrMissingScope')
})

test('a node that does not answer tells nothing of what it can do', async ({ house }) => {
  const admin = await house.admin()
  await house.node.stop()

  expect((await house.ask('GET', '/api/nodes/0/features', undefined, admin)).refusal).toBe('ErrServiceNotAvailable')
})

test('a panel without a local node has no nodes, and creates nothing', async () => {
  const house = await House.build({ localNode: undefined })
  const admin = await house.admin()

  expect((await house.send(listNodes, {}, admin)).answer).toEqual([])
  const { refusal } = await house.ask('POST', '/api/servers', { type: 'x', run: {}, data: {} }, admin)
  expect(refusal).toBe('ErrNoNodes')
  await house.pullDown()
})
