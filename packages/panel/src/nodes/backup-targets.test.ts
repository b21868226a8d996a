import { text } from 'node:stream/consumers'
import { listActivity } from '@innkeeper/contract/activity'
import {
  createBackupTarget,
  deleteBackupTarget,
  editBackupTarget,
  listBackupTargets,
  nodeTargetEndpoints,
  putDefaultBackupTargets,
  testBackupTarget,
} from '@innkeeper/contract/backup-targets'
import { test as base, expect } from 'vitest'
import { TestPanel, type TestUser } from '../testing/test-panel.ts'

const test = base.extend<{ panel: TestPanel; admin: TestUser }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  panel: async ({}, use) => {
    const panel = await TestPanel.start()
    await use(panel)
    await panel.stop()
  },
  admin: async ({ panel }, use) => await use(await panel.admin()),
})

const params = { id: 0 }
const input = {
  name: 'Offsite',
  address: { type: 's3' as const, endpoint: 'https://s3.example.com', bucket: 'backups' },
  secrets: { accessKey: 'AKIA', secretKey: 'very secret' },
}

test('a node stores the targets of its backups; neither the panel nor its audit log has a secret', async ({
  panel,
  admin,
}) => {
  const bodies: unknown[] = []
  panel.node.answer(nodeTargetEndpoints.create, async (request, response) => {
    bodies.push(JSON.parse(await text(request)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"0a0a0a0a"}')
  })

  const { answer } = await panel.send(createBackupTarget, { params, body: input }, admin)

  expect(answer).toEqual({ id: '0a0a0a0a' })
  expect(bodies).toMatchObject([{ name: 'Offsite', secrets: input.secrets }])
  const { answer: activity } = await panel.send(listActivity, { query: {} }, admin)
  expect(activity.activity).toContainEqual(
    expect.objectContaining({ action: 'node.backup.targets', target: 'Offsite (0)' }),
  )
  expect(JSON.stringify(activity)).not.toContain('secret')
})

test('each request for targets reaches the node', async ({ panel, admin }) => {
  const target = { ...params, target: '0a0a0a0a' }

  await panel.send(listBackupTargets, { params }, admin)
  await panel.send(editBackupTarget, { params: target, body: input }, admin)
  await panel.send(deleteBackupTarget, { params: target }, admin)
  await panel.send(putDefaultBackupTargets, { params, body: ['local'] }, admin)
  await panel.send(testBackupTarget, { params, body: { address: input.address } }, admin)

  expect(panel.node.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /daemon/backups/targets',
    'PUT /daemon/backups/targets/0a0a0a0a',
    'DELETE /daemon/backups/targets/0a0a0a0a',
    'PUT /daemon/backups/default-targets',
    'POST /daemon/backups/test-target',
  ])
})
