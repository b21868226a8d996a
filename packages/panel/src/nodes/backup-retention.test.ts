import {
  getNodeRetention,
  getPanelRetention,
  putNodeRetention,
  putPanelRetention,
} from '@innkeeper/contract/backups/backup-plan'
import { keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { createNode, deleteNode } from '@innkeeper/contract/nodes/nodes'
import { expect } from 'vitest'
import { test } from '../testing/test-panel.ts'

test('the retention of the panel is saved by who may change settings', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const other = await testPanel.createUser({ scopes: ['nodes.view'] })
  const before = await testPanel.send(getPanelRetention, {}, admin)
  const retention = { ...keepEverything, daily: 7, maxBytes: 1024 }

  await testPanel.send(putPanelRetention, { body: retention }, admin)

  expect(before.answer).toEqual(keepEverything)
  expect((await testPanel.send(getPanelRetention, {}, admin)).answer).toEqual(retention)
  expect((await testPanel.send(putPanelRetention, { body: retention }, other)).refusal).toBe('ErrMissingScope')
})

test('the retention of a node is its own, else that of the panel, and goes with the node', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const created = await testPanel.send(createNode, { body: { name: 'far', publicHost: 'far.example' } }, admin)
  const params = { id: created.answer.id }
  const read = async (id = params.id) => (await testPanel.send(getNodeRetention, { params: { id } }, admin)).answer
  const put = (body: object | null) => testPanel.send(putNodeRetention, { params, body } as never, admin)
  const first = await read()
  const ofPanel = { ...keepEverything, daily: 7 }
  await testPanel.send(putPanelRetention, { body: ofPanel }, admin)
  const second = await read()

  const statuses = [(await put({ weekly: 4 })).status]
  const own = await read()
  statuses.push((await put({})).status)
  const everything = await read()
  statuses.push((await put(null)).status)
  const reset = await read()
  await put({ weekly: 4 })
  await testPanel.send(deleteNode, { params, query: {} }, admin)

  expect(first).toEqual({ retention: keepEverything, source: 'default' })
  expect([second, reset]).toEqual(Array(2).fill({ retention: ofPanel, source: 'panel' }))
  expect(own).toEqual({ retention: { ...keepEverything, weekly: 4 }, source: 'node' })
  expect(everything).toEqual({ retention: keepEverything, source: 'node' })
  expect(statuses).toEqual([204, 204, 204])
  expect(await read(0)).toEqual({ retention: ofPanel, source: 'panel' })
  expect((await testPanel.send(getNodeRetention, { params }, admin)).refusal).toBe('ErrNotFound')
  expect((await put({ last: 1 })).refusal).toBe('ErrNotFound')
  expect(await testPanel.db.selectFrom('node_retention').selectAll().execute()).toEqual([])
})

test('the retention of a node is changed only by who may edit nodes', async ({ testPanel }) => {
  const viewer = await testPanel.createUser({ scopes: ['nodes.view'] })
  const request = { params: { id: 0 } }

  const { status } = await testPanel.send(getNodeRetention, request, viewer)
  const { refusal } = await testPanel.send(putNodeRetention, { ...request, body: keepEverything }, viewer)

  expect([status, refusal]).toEqual([200, 'ErrMissingScope'])
})
