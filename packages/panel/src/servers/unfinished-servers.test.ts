import { panelOnlyEndpoints } from '@innkeeper/contract/node-servers'
import { Refusal } from '@innkeeper/contract/refusals'
import { createServer, deleteServer, listServers } from '@innkeeper/contract/servers'
import pino from 'pino'
import { expect } from 'vitest'
import { nodeDirectory } from '../nodes/directory.ts'
import { NodeClient } from '../nodes/node-client.ts'
import { nodeReports } from '../nodes/reports.ts'
import { signingKeys } from '../nodes/signing-keys.ts'
import { ticketsOf } from '../nodes/tickets.ts'
import { test as base, type House, type Person } from '../testing/house.ts'
import { UnfinishedServers } from './unfinished-servers.ts'

const log = pino({ level: 'silent' })
const later = () => Date.now() + 10 * 60_000
const definition = { type: 'test', run: { command: 'true' }, data: {} }

/** Finishes creations of the house's panel as ten minutes later. */
const test = base.extend<{ creations: UnfinishedServers }>({
  creations: async ({ house: { db, node } }, use) => {
    const reports = nodeReports({ db, directory: nodeDirectory({ db, now: later }), version: '', log, now: later })
    const tickets = ticketsOf(await signingKeys({ db, reports, now: Date.now }), Date.now)
    const client = new NodeClient({ nodeId: 0, place: node }, tickets)
    const creations = new UnfinishedServers({ db, nodes: { clientFor: async () => client }, log, now: later })
    await use(creations)
    await creations.close()
    await client.close()
  },
})

async function namesSeenBy(admin: Person, house: House): Promise<readonly string[]> {
  return (await house.send(listServers, { query: {} }, admin)).answer.servers.map(({ name }) => name)
}

const pending = ({ db }: House) => db.selectFrom('unfinished_servers').select('server_id').execute()

test('a server that was created leaves nothing to finish', async ({ house }) => {
  const admin = await house.admin()

  expect((await house.send(createServer, { body: definition }, admin)).status).toBe(200)

  expect(await pending(house)).toEqual([])
})

test('a server whose panel was killed before the node had it goes away', async ({ house, creations }) => {
  const [admin, id] = [await house.admin(), await house.server({ name: 'never created' })]
  house.node.definitions.delete(id)
  await house.db
    .insertInto('unfinished_servers')
    .values({ server_id: id, node_id: 0, created_at: Date.now() })
    .execute()

  await creations.finish()

  expect(await namesSeenBy(admin, house)).toEqual([])
  expect(await pending(house)).toEqual([])
})

test('a server whose panel was killed after the node had it stays', async ({ house, creations }) => {
  const [admin, id] = [await house.admin(), await house.server({ name: 'created' })]
  await house.db
    .insertInto('unfinished_servers')
    .values({ server_id: id, node_id: 0, created_at: Date.now() })
    .execute()

  await creations.finish()

  expect(await namesSeenBy(admin, house)).toEqual(['created'])
  expect(house.node.definitions.has(id)).toBe(true)
  expect(await pending(house)).toEqual([])
})

test('a server that a slow node creates after the panel gave up is removed there', async ({ house, creations }) => {
  const admin = await house.admin()
  house.node.answer(panelOnlyEndpoints.create, (_request, response) => void response.destroy())

  const { refusal } = await house.send(createServer, { body: { ...definition, name: 'late' } }, admin)
  const [left] = await pending(house)
  house.node.definitions.set(left?.server_id ?? '', definition)
  await creations.finish()

  expect(refusal).toBe('ErrServiceNotAvailable')
  expect(await namesSeenBy(admin, house)).toEqual([])
  expect(house.node.definitions.size).toBe(0)
  expect(await pending(house)).toEqual([])
})

test('what the node refused is finished at once', async ({ house }) => {
  const admin = await house.admin()
  house.node.answer(panelOnlyEndpoints.create, (_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end('{"error":{"code":"ErrMissingBinary"}}')
  })

  expect((await house.send(createServer, { body: definition }, admin)).refusal).toBe('ErrMissingBinary')

  expect(await pending(house)).toEqual([])
})

test('a server that was deleted while its node was away is deleted there when the node is back', async ({
  house,
  creations,
}) => {
  const [admin, id] = [await house.admin(), await house.server()]
  house.node.refuse(panelOnlyEndpoints.remove, new Refusal('ErrServiceNotAvailable'))
  await house.send(deleteServer, { params: { id }, query: { force: 'true' } }, admin)
  await creations.finish()
  expect([...house.node.definitions.keys()]).toEqual([id])

  house.node.answer(panelOnlyEndpoints.remove, (_request, response) => {
    house.node.definitions.clear()
    response.writeHead(204).end()
  })
  await creations.finish()

  expect(house.node.definitions.size).toBe(0)
  expect(await pending(house)).toEqual([])
})

test('a creation that is young or whose node is away waits', async ({ house, creations }) => {
  const id = await house.server()
  const young = { server_id: id, node_id: 0, created_at: later() }
  await house.db.insertInto('unfinished_servers').values(young).execute()
  await creations.finish()
  expect(await pending(house)).toHaveLength(1)

  await house.db.updateTable('unfinished_servers').set({ created_at: 0 }).execute()
  await house.node.stop()
  await creations.finish()

  expect(await pending(house)).toHaveLength(1)
})
