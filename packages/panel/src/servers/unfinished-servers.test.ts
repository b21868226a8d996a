import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { deleteServer, listServers } from '@innkeeper/contract/servers/servers'
import pino from 'pino'
import { expect } from 'vitest'
import { NodeClient } from '../nodes/client/node-client.ts'
import { localTransport } from '../nodes/client/node-transport.ts'
import { ticketSigner } from '../nodes/client/tickets.ts'
import { nodeRepository } from '../nodes/node-repository.ts'
import { nodeReports } from '../nodes/reports.ts'
import { signingKeys } from '../nodes/signing-keys.ts'
import { test as base, type TestPanel, type TestUser } from '../testing/test-panel.ts'
import { unfinishedServers } from './unfinished-servers.ts'

const log = pino({ level: 'silent' })
const later = () => Date.now() + 10 * 60_000
const definition = { type: 'test', run: { command: 'true' }, data: {} }

/** Finishes the panel's servers as if ten minutes had passed. */
const test = base.extend<{ creations: PeriodicJob }>({
  creations: async ({ testPanel: { db, node } }, use) => {
    const reports = nodeReports({ db, repository: nodeRepository({ db, now: later }), version: '', log, now: later })
    const tickets = ticketSigner(await signingKeys({ db, reports, now: Date.now }), Date.now)
    const client = new NodeClient({ nodeId: 0, transport: localTransport(node.socketPath) }, tickets)
    const creations = unfinishedServers({ db, nodes: { clientFor: async () => client }, log, now: later })
    await use(creations)
    await creations.close()
    await client.close()
  },
})

async function namesSeenBy(admin: TestUser, testPanel: TestPanel): Promise<readonly string[]> {
  return (await testPanel.send(listServers, { query: {} }, admin)).answer.servers.map(({ name }) => name)
}

const pending = ({ db }: TestPanel) => db.selectFrom('unfinished_servers').select('server_id').execute()

test('a created server leaves nothing to finish', async ({ testPanel }) => {
  const admin = await testPanel.admin()

  expect((await testPanel.send(createServer, { body: definition }, admin)).status).toBe(200)

  expect(await pending(testPanel)).toEqual([])
})

test('a server whose panel crashed before the node had it is deleted', async ({ testPanel, creations }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server({ name: 'never created' })]
  testPanel.node.definitions.delete(id)
  await testPanel.db
    .insertInto('unfinished_servers')
    .values({ server_id: id, node_id: 0, created_at: Date.now() })
    .execute()

  await creations.run()

  expect(await namesSeenBy(admin, testPanel)).toEqual([])
  expect(await pending(testPanel)).toEqual([])
})

test('a server whose panel crashed after the node had it is kept', async ({ testPanel, creations }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server({ name: 'created' })]
  await testPanel.db
    .insertInto('unfinished_servers')
    .values({ server_id: id, node_id: 0, created_at: Date.now() })
    .execute()

  await creations.run()

  expect(await namesSeenBy(admin, testPanel)).toEqual(['created'])
  expect(testPanel.node.definitions.has(id)).toBe(true)
  expect(await pending(testPanel)).toEqual([])
})

test("a server that a slow node creates after the panel's timeout is deleted there", async ({
  testPanel,
  creations,
}) => {
  const admin = await testPanel.admin()
  testPanel.node.answer(panelEndpoints.createServer, (_request, response) => void response.destroy())

  const { refusal } = await testPanel.send(createServer, { body: { ...definition, name: 'late' } }, admin)
  const [remaining] = await pending(testPanel)
  testPanel.node.definitions.set(remaining?.server_id ?? '', definition)
  await creations.run()

  expect(refusal).toBe('ErrServiceNotAvailable')
  expect(await namesSeenBy(admin, testPanel)).toEqual([])
  expect(testPanel.node.definitions.size).toBe(0)
  expect(await pending(testPanel)).toEqual([])
})

test('a server that the node rejected is finished immediately', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  testPanel.node.answer(panelEndpoints.createServer, (_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end('{"error":{"code":"ErrMissingBinary"}}')
  })

  expect((await testPanel.send(createServer, { body: definition }, admin)).refusal).toBe('ErrMissingBinary')

  expect(await pending(testPanel)).toEqual([])
})

test('a server deleted while its node was offline is deleted there when the node is back', async ({
  testPanel,
  creations,
}) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.refuse(panelEndpoints.deleteServer, new Refusal('ErrServiceNotAvailable'))
  await testPanel.send(deleteServer, { params: { id }, query: { force: 'true' } }, admin)
  await creations.run()
  expect([...testPanel.node.definitions.keys()]).toEqual([id])

  testPanel.node.answer(panelEndpoints.deleteServer, (_request, response) => {
    testPanel.node.definitions.clear()
    response.writeHead(204).end()
  })
  await creations.run()

  expect(testPanel.node.definitions.size).toBe(0)
  expect(await pending(testPanel)).toEqual([])
})

test('a recent creation, or one whose node is offline, waits', async ({ testPanel, creations }) => {
  const id = await testPanel.server()
  const young = { server_id: id, node_id: 0, created_at: later() }
  await testPanel.db.insertInto('unfinished_servers').values(young).execute()
  await creations.run()
  expect(await pending(testPanel)).toHaveLength(1)

  await testPanel.db.updateTable('unfinished_servers').set({ created_at: 0 }).execute()
  await testPanel.node.stop()
  await creations.run()

  expect(await pending(testPanel)).toHaveLength(1)
})
