import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BackupRetention, keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { getBackupRetention, putBackupRetention } from '@innkeeper/contract/backups/backups'
import { createTask } from '@innkeeper/contract/servers/tasks'
import { expect, test, vi } from 'vitest'
import { BackupServer } from '../testing/backup-server.ts'
import { TestNode } from '../testing/daemon.ts'
import { FakePanel } from '../testing/fake-panel.ts'

const fromPanel = { ...keepEverything, daily: 7, maxBytes: 5 }

const readRetention = async ({ node, params }: BackupServer) =>
  (await node.client.send(getBackupRetention, { params })).body

test('a node takes over the retention of its panel, and keeps it while the panel is away', async () => {
  const panel = new FakePanel()
  panel.backupRetention = fromPanel
  await using node = await TestNode.start({ panel })
  const server = new BackupServer(node)
  await server.create()
  const before = await readRetention(server)

  node.daemon.startReporting()
  await vi.waitFor(async () => expect(await readRetention(server)).toMatchObject({ source: 'panel' }))
  panel.isAway = true
  await node.detach()
  await node.start()

  expect(before).toMatchObject({ retention: keepEverything, source: 'default' })
  expect(await readRetention(server)).toMatchObject({ retention: fromPanel, source: 'panel' })
  await node.client.send(putBackupRetention, { params: server.params, body: { last: 3 } })
  expect(await readRetention(server)).toMatchObject({ retention: { last: 3, daily: 0 }, source: 'server' })
})

test('the retention of the node comes before that of the panel, and both before the configuration of the node', async () => {
  const panel = new FakePanel()
  panel.backupRetention = keepEverything
  await using node = await TestNode.start({ panel, backups: { keep: { ...keepEverything, last: 2 } } })
  const server = new BackupServer(node)
  await server.create()
  node.daemon.startReporting()
  const stored = join(node.dataDir, 'backups', 'panel-retention.json')
  await vi.waitFor(() =>
    expect(JSON.parse(readFileSync(stored, 'utf8'))).toEqual({ ...keepEverything, source: 'panel' }),
  )
  const configured = await readRetention(server)
  const hand = async (retention: BackupRetention, source: 'node' | 'panel') => {
    Object.assign(panel, { backupRetention: retention, backupRetentionSource: source })
    // A new daemon reports at once.
    await node.detach()
    await node.start()
    node.daemon.startReporting()
    await vi.waitFor(async () => {
      expect(await readRetention(server)).toMatchObject({ retention, source })
    })
  }

  await hand(fromPanel, 'panel')
  await hand({ ...keepEverything, weekly: 4 }, 'node')
  // A node that keeps everything, although the panel does not.
  await hand(keepEverything, 'node')
  panel.isAway = true
  await node.detach()
  await node.start()

  expect(configured).toMatchObject({ retention: { last: 2 }, source: 'node' })
  expect(await readRetention(server)).toMatchObject({ retention: keepEverything, source: 'node' })
})

test('an outdated retention is refused, until it was read again', async () => {
  const panel = new FakePanel()
  panel.backupRetention = fromPanel
  await using node = await TestNode.start({ panel })
  const server = new BackupServer(node)
  await server.create()
  const { params } = server
  const read = () => node.client.send(getBackupRetention, { params })
  const put = (body: object | null, version?: unknown) =>
    node.client.send(putBackupRetention, {
      params,
      body,
      ...(version !== undefined && { headers: { 'if-match': String(version) } }),
    })
  const first = (await read()).headers.etag
  node.daemon.startReporting()
  await vi.waitFor(async () => expect(await readRetention(server)).toMatchObject({ source: 'panel' }))

  const ofOldDefault = await put({ last: 1 }, first)
  const second = (await read()).headers.etag
  const current = await put({ last: 2 }, second)
  const outdated = [await put({ last: 3 }, second), await put(null, second)]

  expect(first).toMatch(/^"\w+"$/)
  expect([ofOldDefault, ...outdated].map(({ status, body }) => [status, body.error.code])).toEqual(
    Array(3).fill([412, 'ErrStaleVersion']),
  )
  expect(current.status).toBe(204)
  expect(await readRetention(server)).toMatchObject({ retention: { last: 2 }, source: 'server' })
  expect((await put(null, (await read()).headers.etag)).status).toBe(204)
  expect((await put({ last: 4 })).status).toBe(204)
})

test('the plan lists tasks with backups, the next proof of each server, and space to free', async () => {
  const day = 24 * 60 * 60 * 1000
  await using node = await TestNode.start({
    backups: { proofEveryMs: 7 * day, proofHours: { from: 2, to: 6 }, boot: false },
  })
  const server = new BackupServer(node)
  await server.create()
  const params = server.params
  const [steps, cronSchedule] = [[{ type: 'backup' }], '0 3 */1 * *']
  const task = { name: 'Nightly', cronSchedule, operations: steps }
  await node.client.send(createTask, { params, body: task })
  await node.client.send(createTask, { params, body: { ...task, name: 'By hand', cronSchedule: null } })
  const index = { backups: [aBackup], forgotten: [] }
  await node.detach()
  mkdirSync(join(node.dataDir, 'backups', 'servers'), { recursive: true })
  writeFileSync(join(node.dataDir, 'backups', 'servers', `${server.id}.json`), JSON.stringify(index))
  writeFileSync(join(node.dataDir, 'backups', 'prunes.json'), JSON.stringify({ local: Date.now() }))
  await node.start()

  const { body } = await node.client.asPanel('GET', '/daemon/backups/plan')

  expect(body).toHaveLength(3)
  expect(body).toEqual(
    expect.arrayContaining([
      { type: 'backup', server: server.id, name: 'Nightly', at: expect.stringMatching(/:00:00.000Z$/) },
      { type: 'proof', server: server.id, at: expect.any(String) },
      { type: 'prune', at: expect.any(String) },
    ]),
  )
  const times = body.map(({ at }: { at: string }) => at)
  expect(times).toEqual(times.toSorted())
})

const aBackup = {
  id: '0123456789abcdef',
  name: '',
  createdAt: new Date().toISOString(),
  origin: 'user',
  server: 'stopped',
  files: 1,
  bytes: 1,
  newBytes: 1,
  durationMs: 1,
  isLocked: false,
  snapshot: 'a',
}
