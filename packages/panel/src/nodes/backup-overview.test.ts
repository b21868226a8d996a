import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { getBackupPlan } from '@innkeeper/contract/backups/backup-plan'
import { getBackupOverview } from '@innkeeper/contract/backups/node-backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { createNode } from '@innkeeper/contract/nodes/nodes'
import { expect } from 'vitest'
import { test } from '../testing/test-panel.ts'

const failureAt = (at: string) => ({
  type: 'create' as const,
  at,
  error: { code: 'ErrDisk', metadata: { reason: 'the disk is full' } },
})

test('the overview sums the space of each node, and lists the largest backups and the latest failures', async ({
  testPanel,
}) => {
  const admin = await testPanel.admin()
  const [lobby, arena, empty] = [
    await testPanel.server({ name: 'Lobby' }),
    await testPanel.server({ name: 'Arena' }),
    await testPanel.server({ name: 'Empty' }),
  ]
  const [older, later] = [failureAt('2026-11-26T03:00:00.000Z'), failureAt('2026-11-27T03:00:00.000Z')]
  testPanel.node.backupUsage = [
    { server: lobby, backups: 2, bytes: 1_000, failure: older },
    { server: arena, backups: 3, bytes: 5_000 },
    { server: empty, backups: 1, failure: later },
    { server: 'ffffffff', backups: 1, bytes: 10 },
  ]

  const { answer } = await testPanel.send(getBackupOverview, { query: {} }, admin)

  const node = { id: 0, name: expect.any(String) }
  expect(answer).toEqual({
    nodes: [{ ...node, usage: { backups: 7, bytes: 6_010, unmeasured: 1 } }],
    largest: [
      { node, server: { id: arena, name: 'Arena' }, backups: 3, bytes: 5_000 },
      { node, server: { id: lobby, name: 'Lobby' }, backups: 2, bytes: 1_000 },
    ],
    failures: [
      { ...later, node, server: { id: empty, name: 'Empty' } },
      { ...older, node, server: { id: lobby, name: 'Lobby' } },
    ],
  })
})

test('a node that does not respond is listed without its space', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  testPanel.node.backupUsage = [{ server: 'ffffffff', backups: 1, bytes: 10 }]
  const body = { name: 'far', publicHost: '127.0.0.1', privateHost: '127.0.0.1', privatePort: 1 }
  const far = await testPanel.send(createNode, { body }, admin)
  await testPanel.hasReported(far.answer.id)

  const { answer } = await testPanel.send(getBackupOverview, { query: {} }, admin)
  const one = await testPanel.send(getBackupOverview, { query: { node: far.answer.id } }, admin)
  const unknown = await testPanel.send(getBackupOverview, { query: { node: 99 } }, admin)
  testPanel.node.refuse(panelEndpoints.getBackupUsage, new Refusal('ErrServiceNotAvailable'))
  const none = await testPanel.send(getBackupOverview, { query: {} }, admin)

  const missing = { id: far.answer.id, name: 'far' }
  expect(answer.nodes).toEqual([expect.objectContaining({ id: 0, usage: expect.anything() }), missing])
  expect(one.answer).toEqual({ nodes: [missing], largest: [], failures: [] })
  expect(unknown.refusal).toBe('ErrNotFound')
  expect(none.answer.nodes.map(({ usage }) => usage)).toEqual([undefined, undefined])
})

test('a node that waits for its first connection is not asked, and not missing', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const { address, close, requests } = await countingServer()
  const body = { name: 'far', publicHost: '127.0.0.1', privateHost: '127.0.0.1', privatePort: address }
  const { answer: far } = await testPanel.send(createNode, { body }, admin)

  const { answer: all } = await testPanel.send(getBackupOverview, { query: {} }, admin)
  const { answer: one } = await testPanel.send(getBackupOverview, { query: { node: far.id } }, admin)
  const { answer: plan } = await testPanel.send(getBackupPlan, { query: {} }, admin)
  await testPanel.send(getBackupPlan, { query: { node: far.id } }, admin)
  await close()

  expect(all.nodes.map(({ id }) => id)).toEqual([0])
  expect(one.nodes).toEqual([])
  expect(plan.missing).toEqual([])
  expect(requests()).toBe(0)
})

test('the overview needs the scope nodes.view', async ({ testPanel }) => {
  const user = await testPanel.createUser()

  expect((await testPanel.send(getBackupOverview, { query: {} }, user)).refusal).toBe('ErrMissingScope')
})

/** Counts the connections to it. */
async function countingServer() {
  let count = 0
  const server = createServer((socket) => {
    count++
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: address } = server.address() as AddressInfo
  return { address, requests: () => count, close: () => new Promise((resolve) => server.close(resolve)) }
}
