import { getBackupPlan } from '@innkeeper/contract/backups/backup-plan'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { expect } from 'vitest'
import { test } from '../testing/test-panel.ts'

test('the plan names servers and nodes, and leaves out servers that the panel does not know', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const id = await testPanel.server({ name: 'Lobby' })
  const at = '2026-11-27T03:00:00.000Z'
  testPanel.node.answer(panelEndpoints.getBackupPlan, (_request, response) => {
    const work = [
      { type: 'prune', at: '2026-11-28T03:00:00.000Z', name: 'NAS' },
      { type: 'backup', at, server: id, name: 'Nightly' },
      { type: 'proof', at, server: 'ffffffff' },
    ]
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(work))
  })

  const { answer } = await testPanel.send(getBackupPlan, { query: {} }, admin)
  const one = await testPanel.send(getBackupPlan, { query: { node: 99 } }, admin)

  expect(answer.work).toEqual([
    { type: 'backup', at, name: 'Nightly', node: expect.anything(), server: { id, name: 'Lobby' } },
    { type: 'prune', at: '2026-11-28T03:00:00.000Z', name: 'NAS', node: expect.anything() },
  ])
  expect(answer.missing).toEqual([])
  expect(one.refusal).toBe('ErrNotFound')
})

test('a node that does not respond is named', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  testPanel.node.answer(panelEndpoints.getBackupPlan, (_request, response) => void response.writeHead(502).end())

  const { answer } = await testPanel.send(getBackupPlan, { query: {} }, admin)

  expect(answer).toEqual({ work: [], missing: [expect.any(String)] })
})
