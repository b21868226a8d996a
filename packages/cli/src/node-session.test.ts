import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import { testOnSharedNode } from '@innkeeper/daemon/testing/node-test'
import { NodeClient } from '@innkeeper/panel/nodes/client/node-client'
import { localTransport } from '@innkeeper/panel/nodes/client/node-transport'
import { expect, vi } from 'vitest'

interface Connection {
  readonly client: NodeClient
  /** The purposes of the signed tickets. */
  readonly signed: string[]
  /** The id of the signing key of the panel. */
  keyId: string
}

const test = testOnSharedNode.extend<{ connection: Connection }>({
  connection: async ({ node }, use) => {
    const signed: string[] = []
    const tickets = {
      keyId: async () => connection.keyId,
      sign: async ({ purpose, permissions, server }: Parameters<NodeClient['openSocket']>[0] & { purpose: string }) => {
        signed.push(purpose)
        return await node.client.ticket({ purpose, rights: [...permissions], server })
      },
    }
    const client = new NodeClient({ nodeId: node.nodeId, transport: localTransport(node.socketPath) }, tickets)
    const connection: Connection = { client, signed, keyId: 'first' }
    await use(connection)
    await client.close()
  },
})

const opening = 'POST /daemon/session'
const id = '0a0a0a0a'
const waiting = { timeout: 10_000 }

async function inSession({ client, signed }: Connection): Promise<void> {
  await vi.waitUntil(async () => {
    const before = signed.length
    await client.call(panelEndpoints.getFeatures, {})
    return signed.length === before
  }, waiting)
  signed.length = 0
}

test('a session is opened with the first request, and then no ticket is signed', async ({ connection }) => {
  const { client, signed } = connection

  await client.call(panelEndpoints.getFeatures, {})
  expect(signed).toContain('GET /daemon/features')
  await inSession(connection)
  for (let count = 0; count < 20; count++) await client.call(panelEndpoints.listServers, {})
  await Promise.all(Array.from({ length: 50 }, () => client.call(panelEndpoints.getFeatures, {})))

  expect(signed).toEqual([])
})

test('a request whose session a restarted node does not know has an effect once, and opens another session', async ({
  node,
  connection,
}) => {
  const { client, signed } = connection
  await node.client.create(id, 'sleep 60')
  await inSession(connection)
  await node.detach()
  await node.start()

  await client.call(startServer, { params: { id }, query: {} })
  expect(signed).toEqual([`POST /daemon/server/${id}/start`])
  await inSession(connection)

  await vi.waitUntil(async () => (await client.call(getStatus, { params: { id } })).running, waiting)
  expect(signed).toEqual([])
})

test('another signing key opens another session', async ({ connection }) => {
  await inSession(connection)

  connection.keyId = 'second'

  await vi.waitUntil(async () => {
    await connection.client.call(panelEndpoints.getFeatures, {})
    return connection.signed.includes(opening)
  }, waiting)
})
