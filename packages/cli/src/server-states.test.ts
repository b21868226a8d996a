import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { TestNode } from '@innkeeper/daemon/testing/daemon'
import { NodeClient } from '@innkeeper/panel/nodes/client/node-client'
import { localTransport } from '@innkeeper/panel/nodes/client/node-transport'
import { test as base, expect, vi } from 'vitest'

interface Panels {
  readonly node: TestNode
  /** Connects one more panel. */
  connect(): NodeClient
}

const test = base.extend<{ panels: Panels }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  panels: async ({}, use) => {
    await using node = await TestNode.start()
    const clients: NodeClient[] = []
    const connect = () => {
      const tickets = {
        keyId: async () => 'key',
        sign: async ({ purpose, permissions, server }: Parameters<NodeClient['openSocket']>[0] & { purpose: string }) =>
          await node.client.ticket({ purpose, rights: [...permissions], server }),
      }
      const client = new NodeClient({ nodeId: node.nodeId, transport: localTransport(node.socketPath) }, tickets)
      clients.push(client)
      return client
    }
    await use({ node, connect })
    await Promise.all(clients.map((client) => client.close()))
  },
})

const id = '0a0a0a0a'
const waiting = { timeout: 10_000 }

async function untilCurrent({ states }: NodeClient): Promise<void> {
  await vi.waitUntil(() => states.find(id) !== undefined, waiting)
}

const getState = ({ states }: NodeClient) => states.find(id)?.usage?.status?.running

test('each panel knows the states of servers as soon as a request that changes one is answered', async ({ panels }) => {
  await panels.node.client.create(id, 'sleep 60')
  const [first, second] = [panels.connect(), panels.connect()]
  await Promise.all([untilCurrent(first), untilCurrent(second)])
  expect([getState(first), getState(second)]).toEqual([false, false])

  for (let turn = 0; turn < 5; turn++) {
    await first.call(startServer, { params: { id }, query: { wait: 'true' } })
    expect([getState(first), getState(second)]).toEqual([true, true])
    await second.call(killServer, { params: { id }, query: { wait: 'true' } })
    expect([getState(first), getState(second)]).toEqual([false, false])
  }
})

test('new and deleted servers are known at once', async ({ panels }) => {
  await panels.node.client.create(id, 'sleep 60')
  const client = panels.connect()
  await untilCurrent(client)
  const other = '0b0b0b0b'

  await panels.node.client.create(other, 'sleep 60')
  expect(client.states.find(other)?.usage?.status?.state).toBe('offline')
  await client.call(panelEndpoints.deleteServer, { params: { id: other } })
  expect(client.states.find(other)).toEqual({ usage: undefined })
})

test('after the node has stopped, nothing is known until it runs again', async ({ panels }) => {
  await panels.node.client.create(id, 'sleep 60')
  const client = panels.connect()
  await untilCurrent(client)

  await panels.node.detach()
  await vi.waitUntil(() => client.states.find(id) === undefined, waiting)
  await panels.node.start()

  await vi.waitUntil(() => client.states.find(id) !== undefined, { timeout: 15_000 })
})
