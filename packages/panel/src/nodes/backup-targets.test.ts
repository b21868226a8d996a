import { text } from 'node:stream/consumers'
import { listActivity } from '@innkeeper/contract/activity/activity'
import {
  createBackupTarget,
  deleteBackupTarget,
  editBackupTarget,
  listBackupTargets,
  putDefaultBackupTargets,
  testBackupTarget,
} from '@innkeeper/contract/backups/backup-targets'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
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
  panel.node.answer(panelEndpoints.createBackupTarget, async (request, response) => {
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

test('the node receives the version that a change expects', async ({ panel, admin }) => {
  const versions: unknown[] = []
  for (const call of [panelEndpoints.editBackupTarget, panelEndpoints.putDefaultBackupTargets]) {
    panel.node.answer(call, (request, response) => {
      request.resume()
      versions.push(request.headers['if-match'])
      response.writeHead(204).end()
    })
  }
  const editing = { params: { ...params, target: '0a0a0a0a' }, body: input }
  const defaults = { params, body: ['local' as const] }

  await panel.send(editBackupTarget, editing, admin, { 'if-match': '"v1"' })
  await panel.send(editBackupTarget, editing, admin)
  await panel.send(putDefaultBackupTargets, defaults, admin, { 'if-match': '"v2"' })
  await panel.send(putDefaultBackupTargets, defaults, admin)

  expect(versions).toEqual(['"v1"', undefined, '"v2"', undefined])
})

test('changes and tests of targets need nodes.edit, and are recorded', async ({ panel, admin }) => {
  const target = { ...params, target: '0a0a0a0a' }
  const viewer = await panel.createUser({ scopes: ['nodes.view'] })
  const editor = await panel.createUser({ scopes: ['nodes.edit'] })
  panel.node.answer(panelEndpoints.createBackupTarget, (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"0a0a0a0a"}')
  })
  panel.node.answer(panelEndpoints.testBackupTarget, (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"type":"ok","isNew":true}')
  })
  const sendAll = async (as: TestUser) => [
    await panel.send(createBackupTarget, { params, body: input }, as),
    await panel.send(editBackupTarget, { params: target, body: input }, as),
    await panel.send(deleteBackupTarget, { params: target }, as),
    await panel.send(putDefaultBackupTargets, { params, body: ['local'] }, as),
    await panel.send(testBackupTarget, { params, body: { address: input.address } }, as),
  ]

  const [refused, done] = [await sendAll(viewer), await sendAll(editor)]

  expect(refused.map(({ refusal }) => refusal)).toEqual(Array(5).fill('ErrMissingScope'))
  expect(done.every(({ status }) => status < 300)).toBe(true)
  const { answer } = await panel.send(listActivity, { query: { action: 'node.backup.targets' } }, admin)
  const results = answer.activity.map(({ result, user }) => [user?.id, result])
  expect(results.toReversed()).toEqual([
    ...Array(5).fill([viewer.id, 'refused']),
    ...Array(5).fill([editor.id, 'done']),
  ])
})
