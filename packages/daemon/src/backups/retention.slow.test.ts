import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@innkeeper/contract/backups/backups'
import type { BackupUsage } from '@innkeeper/contract/backups/node-backups'
import { createTask, runTask } from '@innkeeper/contract/servers/tasks'
import { test as base, expect, vi } from 'vitest'
import { BackupServer, damageRepository, slowWait } from '../testing/backup-server.ts'
import { TestNode } from '../testing/daemon.ts'
import { FakePanel } from '../testing/fake-panel.ts'

interface Fixture {
  readonly node: TestNode
  readonly server: BackupServer
  readonly panel: FakePanel
}

const test = base.extend<Fixture>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  panel: async ({}, use) => use(new FakePanel()),
  node: async ({ panel }, use) => {
    await using node = await TestNode.start({
      panel,
      backups: { keep: { last: 2, daily: 0, weekly: 0, monthly: 0, yearly: 0, maxBytes: 0 } },
    })
    await use(node)
  },
  server: async ({ node, panel }, use) => {
    const server = new BackupServer(node)
    panel.addUser({ permissions: { [server.id]: ['admin'] } })
    await server.create()
    server.write('level.dat', 'level')
    await use(server)
  },
})

/** The backups that the repository has, as restic itself counts them. */
function snapshotsIn({ dataDir }: TestNode): number {
  const dir = join(dataDir, 'backups')
  const env = { RESTIC_PASSWORD: readFileSync(join(dir, 'key'), 'utf8').trim() }
  const args = ['--repo', join(dir, 'repository'), '--no-cache', '--no-lock', '--json', 'snapshots']
  const found = JSON.parse(execFileSync('restic', args, { env: { ...process.env, ...env }, encoding: 'utf8' }))
  // One with the files and one with the definition.
  return found.length / 2
}

test('saving a retention deletes what it does not keep, except locked backups; its space is freed later', async ({
  node,
  server,
}) => {
  const [first, , third] = [await server.backUp('first'), await server.backUp('second'), await server.backUp('third')]
  await node.client.send(calls.editBackup, { params: { ...server.params, backup: first.id }, body: { isLocked: true } })

  const saved = await node.client.send(calls.putBackupRetention, { params: server.params, body: { last: 1 } })

  expect(saved.status).toBe(204)
  expect((await server.list()).map(({ name }) => name)).toEqual(['third', 'first'])
  await vi.waitFor(() => expect(snapshotsIn(node)).toBe(2), slowWait)
  expect((await server.restore(third)).state).toBe('done')
  expect(server.read('level.dat')).toBe('level')
  const { body } = await node.client.send(calls.getBackupRetention, { params: server.params })
  expect(body).toEqual({
    retention: { last: 1, daily: 0, weekly: 0, monthly: 0, yearly: 0, maxBytes: 0 },
    timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    source: 'server',
  })
})

test('the default of the node applies after a backup by a task, not after one by a user', async ({ node, server }) => {
  const params = server.params
  for (const name of ['a', 'b', 'c']) await server.backUp(name)
  expect(await server.list()).toHaveLength(3)
  const body = { name: 'Nightly', operations: [{ type: 'backup' }] }
  const { body: task } = await node.client.send(createTask, { params, body })

  const ran = await node.client.send(runTask, { params: { ...params, task: task.id }, query: { wait: true } })

  expect(ran.status).toBe(204)
  expect((await server.list()).map(({ name }) => name)).toEqual(['Nightly', 'c'])
  const blind = await node.client.send(calls.putBackupRetention, {
    params,
    body: { last: 1 },
    permissions: ['viewServerBackups'],
  })
  expect(blind.body.error.code).toBe('ErrMissingScope')
})

test('null sets the default of the node again', async ({ node, server }) => {
  const { params } = server
  await node.client.send(calls.putBackupRetention, { params, body: { last: 7 } })

  const reset = await node.client.send(calls.putBackupRetention, { params, body: null })

  expect(reset.status).toBe(204)
  expect((await node.client.send(calls.getBackupRetention, { params })).body.retention.last).toBe(2)
})

test('good backups are not deleted for one that fails its verification', async ({ node, server }) => {
  const params = server.params
  for (const name of ['a', 'b']) await server.backUp(name)
  server.write('large', Array.from({ length: 100_000 }, () => Math.random()).join())
  await server.backUp('large')
  damageRepository(node)
  const body = { name: 'Nightly', operations: [{ type: 'backup' }] }
  const { body: task } = await node.client.send(createTask, { params, body })

  const ran = await node.client.send(runTask, { params: { ...params, task: task.id }, query: { wait: true } })

  expect(ran.body.error).toMatchObject({
    code: 'ErrStepFailed',
    metadata: { reason: expect.stringContaining('damaged') },
  })
  expect((await server.list()).map(({ name }) => name)).toEqual(['Nightly', 'large', 'b', 'a'])
})

test('beyond the limit of the space the oldest backups are deleted, but no locked ones', { timeout: 180_000 }, async ({
  node,
  server,
}) => {
  for (const name of ['locked', 'old', 'newer', 'newest']) {
    server.write('large', randomBytes(600_000).toString('base64'))
    const { id } = await server.backUp(name)
    const params = { ...server.params, backup: id }
    if (name === 'locked') await node.client.send(calls.editBackup, { params, body: { isLocked: true } })
  }

  const bytes = await vi.waitFor(async () => {
    const [usage] = (await node.client.asPanel('GET', '/daemon/backups')).body as BackupUsage[]
    expect(usage).toMatchObject({ backups: 4, bytes: expect.any(Number) })
    return usage?.bytes ?? 0
  }, slowWait)

  // Each has about a quarter.
  const body = { maxBytes: Math.round(bytes * 0.8) }
  await node.client.send(calls.putBackupRetention, { params: server.params, body })

  const names = async () => (await server.list()).map(({ name }) => name)
  await vi.waitFor(async () => expect(await names()).toEqual(['newest', 'newer', 'locked']), slowWait)
})

test('a wrong clock deletes nothing good: neither the new backup nor others for one of the future', async ({
  node,
  server,
}) => {
  const params = server.params
  for (const name of ['a', 'b', 'c']) await server.backUp(name)
  await node.detach()
  const index = join(node.dataDir, 'backups', 'servers', `${server.id}.json`)
  const { backups, ...rest } = JSON.parse(readFileSync(index, 'utf8'))
  for (const backup of backups) if (backup.name === 'c') backup.createdAt = '2999-01-01T00:00:00.000Z'
  writeFileSync(index, JSON.stringify({ backups, ...rest }))
  await node.start()

  await node.client.send(calls.putBackupRetention, { params, body: { last: 1 } })

  expect((await server.list()).map(({ name }) => name)).toEqual(['c', 'b'])
})
