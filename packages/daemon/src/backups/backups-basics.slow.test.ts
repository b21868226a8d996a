import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@innkeeper/contract/backups/backups'
import { getDefinition, putData } from '@innkeeper/contract/definitions/server-definition'
import { getDiskUsage } from '@innkeeper/contract/servers/files'
import { getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import { createTask, deleteTask, listTasks } from '@innkeeper/contract/servers/tasks'
import { expect, onTestFinished, vi } from 'vitest'
import { RootFs } from '../files/root.ts'
import { BackupServer, slowWait, test } from '../testing/backup-server.ts'
import { makeDeepTree } from '../testing/test-directory.ts'

test('a backup is listed with its note, author and size, and unchanged files add almost nothing', async ({
  node,
  server,
}) => {
  await server.create()
  server.write('world/level.dat', 'x'.repeat(100_000))
  server.write('server.log', 'log')

  const first = await node.client.send(calls.createBackup, {
    params: server.params,
    body: { name: ' before the update ' },
    ticket: { username: 'ada' },
  })
  await server.ended(first.body)
  const second = await server.backUp()

  const { body } = await node.client.send(calls.listBackups, { params: server.params })
  expect(body).toMatchObject([
    { id: second.id, name: '', files: 2, origin: 'user', server: 'stopped' },
    { name: 'before the update', author: 'ada', files: 2, bytes: 100_003, isLocked: false },
  ])
  expect(body[0].newBytes).toBeLessThan(2_000)
  expect(statSync(join(node.dataDir, 'backups', 'key')).mode & 0o777).toBe(0o600)
})

test('a request that is repeated with its key gets the job of the first one, also after a restart', async ({
  node,
  server,
}) => {
  await server.create()
  server.write('world/level.dat', 'x')
  const send = async (key: string) => {
    const headers = { 'idempotency-key': key }
    return (await node.client.send(calls.createBackup, { params: server.params, body: {}, headers })).body
  }

  const [first, second] = await Promise.all([send('a'), send('a')])
  const ended = await server.ended(first)
  const again = await send('a')
  await node.detach()
  await node.start()
  const later = await send('a')

  expect([second.id, again]).toEqual([first.id, ended])
  expect(later).toMatchObject({ type: 'create', state: 'done', backup: ended.backup })
  expect(await server.list()).toMatchObject([{ id: ended.backup }])
  await server.ended(await send('b'))
  expect(await server.list()).toHaveLength(2)
  expect(await send('x'.repeat(101))).toMatchObject({ error: { code: 'ErrFieldTooLarge' } })
})

test('files of a backup are found by a part of their name, below a folder', async ({ node, server }) => {
  await server.create()
  for (const path of ['world/level.dat', 'world/nether/Level.dat', 'world/nether/other', 'level.txt'])
    server.write(path, 'x')
  const { id } = await server.backUp()
  const search = async (query: { path?: string; text: string }) => {
    const { body } = await node.client.send(calls.searchBackupFiles, {
      params: { ...server.params, backup: id },
      query,
    })
    const paths = body.found.map(({ path, name }: { path: string; name: string }) => `${path}|${name}`)
    return { isComplete: body.isComplete, found: paths.toSorted() }
  }

  expect(await search({ text: 'LEVEL' })).toEqual({
    isComplete: true,
    found: ['/world/nether|Level.dat', '/world|level.dat', '/|level.txt'],
  })
  expect((await search({ path: '/world/nether', text: 'level' })).found).toEqual(['/world/nether|Level.dat'])
  expect((await search({ text: 'nether' })).found).toEqual(['/world|nether'])
})

test('single files are restored over or beside the current ones', async ({ server }) => {
  await server.create()
  server.write('world/level.dat', 'old')
  server.write('world/[a] *?.dat', 'odd name')
  server.write('other.txt', 'old')
  const backup = await server.backUp()
  server.write('world/level.dat', 'new')
  server.write('other.txt', 'new')
  rmSync(join(server.dir, 'world/[a] *?.dat'))

  const beside = await server.restore(backup, { paths: ['world/level.dat'], existing: 'keepBoth' })
  const over = await server.restore(backup, { paths: ['/world/level.dat', 'world/[a] *?.dat'] })
  const missing = await server.restore(backup, { paths: ['nothing'] })

  expect([beside.state, over.state]).toEqual(['done', 'done'])
  expect(server.read('world/level (2).dat')).toBe('old')
  expect(server.read('world/level.dat')).toBe('old')
  expect(server.read('world/[a] *?.dat')).toBe('odd name')
  expect(server.read('other.txt')).toBe('new')
  expect(missing).toMatchObject({ state: 'failed', error: { code: 'ErrFileNotFound' } })
  const { uid } = statSync(server.dir)
  expect(statSync(join(server.dir, 'world/level.dat')).uid).toBe(uid)
})

test('files beyond the limit of the disk space are not restored, and do not count afterwards', async ({
  node,
  server,
}) => {
  const mebi = 1024 ** 2
  const limited = { environment: { type: 'standard', limits: { disk: 4 } } }
  await server.create('true', limited)
  for (const name of ['own/a', 'own/b', 'c']) server.write(name, 'x'.repeat(mebi))
  const backup = await server.backUp()
  server.write('d', 'x'.repeat(mebi / 2))
  const restoreBoth = () =>
    Promise.all([
      server.restore(backup, { paths: ['own'], existing: 'keepBoth' }),
      server.restore(backup, { paths: ['c'], existing: 'keepBoth' }),
    ])

  const beside = await restoreBoth()
  const over = await server.restore(backup, { paths: ['/'] })
  rmSync(join(server.dir, 'own'), { recursive: true })
  const deleted = await server.restore(backup, { paths: ['own'] })
  const usage = await node.client.send(getDiskUsage, { params: server.params })

  const refused = { state: 'failed', error: { code: 'ErrDiskLimit', metadata: { max: 4 } } }
  expect(beside).toMatchObject([refused, refused])
  expect([over.state, deleted.state]).toEqual(['done', 'done'])
  expect(readdirSync(server.dir, { recursive: true }).toSorted()).toEqual(['c', 'd', 'own', 'own/a', 'own/b'])
  expect(usage.body.limit.usedBytes).toBeLessThanOrEqual(4 * mebi)
})

test('a copy of a server that is larger than its limit of the disk space is refused, and leaves nothing', async ({
  node,
  server,
}) => {
  const mebi = 1024 ** 2
  await server.create()
  server.write('world', 'x'.repeat(3 * mebi))
  const { id: backup } = await server.backUp()
  const copy = new BackupServer(node)
  await copy.create('true', { environment: { type: 'standard', limits: { disk: 2 } } })
  const fill = (more: object) => node.client.asPanel('POST', `/daemon/server/${copy.id}/fill`, { backup, ...more })

  const { body: job } = await fill({ source: server.id })
  const refused = await copy.ended(job)

  expect(refused).toMatchObject({ state: 'failed', error: { code: 'ErrDiskLimit', metadata: { max: 2 } } })
  expect(readdirSync(copy.dir)).toEqual([])
  const { body: usage } = await node.client.send(getDiskUsage, { params: copy.params })
  expect(usage.limit.usedBytes).toBe(0)
})

test('files, variables and tasks are restored with the server stopped, and the current files are stored before', async ({
  node,
  server,
}) => {
  await server.create('echo', { data: { port: { value: '1', userEdit: true } } })
  server.write('world/level.dat', 'old')
  const task = { name: 'Tidy up', cronSchedule: '0 4 * * *', operations: [{ type: 'mkdir', target: 'tidy' }] }
  const { body: created } = await node.client.send(createTask, { params: server.params, body: task })
  const backup = await server.backUp('good')
  server.write('world/level.dat', 'new')
  server.write('added.txt', 'added')
  await node.client.send(deleteTask, { params: { ...server.params, task: created.id } })
  await node.client.send(putData, { params: server.params, body: { data: { port: { value: '2' } } } })
  await node.client.send(startServer, { params: server.params, query: { wait: true } })
  const watcher = await node.client.watch(server.id)

  const { body: job } = await node.client.send(calls.restoreBackup, {
    params: { ...server.params, backup: backup.id },
    body: { definition: true },
  })
  await watcher.untilText('Server was told to stop')
  const duringBackup = await node.client.send(startServer, { params: server.params })
  const done = await server.ended(job)

  expect(done).toMatchObject({ state: 'done' })
  expect(duringBackup.body).toMatchObject({ error: { code: 'ErrServerBusy' } })
  expect([server.read('world/level.dat'), server.read('added.txt')]).toEqual(['old', undefined])
  const { body: definition } = await node.client.send(getDefinition, { params: server.params })
  expect(definition.data.port.value).toBe('1')
  const { body: restored } = await node.client.send(listTasks, { params: server.params })
  expect(restored.tasks).toMatchObject({ [created.id]: task })
  await vi.waitFor(async () => {
    expect((await node.client.send(getStatus, { params: server.params })).body).toMatchObject({ running: true })
  }, slowWait)
  const { body: list } = await node.client.send(calls.listBackups, { params: server.params })
  expect(list).toMatchObject([{ origin: 'restore' }, { name: 'good' }])
  const undone = await server.restore(list[0])
  expect(undone.state).toBe('done')
  expect([server.read('world/level.dat'), server.read('added.txt')]).toEqual(['new', 'added'])
})

test('a backup belongs to its server: another one can neither see, restore nor delete it', async ({ node, server }) => {
  await server.create()
  await node.client.create('0c0c0c0c', 'true')
  server.write('secret', 'mine')
  const backup = await server.backUp()
  const foreign = { id: '0c0c0c0c', backup: backup.id }

  const answers = [
    await node.client.send(calls.restoreBackup, { params: foreign, body: {} }),
    await node.client.send(calls.deleteBackup, { params: foreign }),
    await node.client.send(calls.editBackup, { params: foreign, body: { name: 'x' } }),
    await node.client.send(calls.listBackupFiles, { params: foreign }),
    await node.client.send(calls.downloadBackup, { params: foreign }),
  ]
  const list = await node.client.send(calls.listBackups, { params: { id: '0c0c0c0c' } })

  expect(answers.map(({ body }) => body.error.code)).toEqual(Array(5).fill('ErrBackupNotFound'))
  expect(list.body).toEqual([])
  expect(await server.list()).toHaveLength(1)
})

test('links of a server lead nowhere, neither in a backup nor in a restore', async ({ node, server }) => {
  await server.create()
  const outside = join(node.dataDir, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret'), 'secret')
  server.write('world/level.dat', 'old')
  symlinkSync(outside, join(server.dir, 'link'))
  const backup = await server.backUp()
  rmSync(join(server.dir, 'world'), { recursive: true })
  symlinkSync(outside, join(server.dir, 'world'))

  const listed = await node.client.send(calls.listBackupFiles, { params: { ...server.params, backup: backup.id } })
  const through = await node.client.send(calls.listBackupFiles, {
    params: { ...server.params, backup: backup.id },
    query: { path: 'link/secret' },
  })
  const single = await server.restore(backup, { paths: ['world/level.dat'] })
  const whole = await server.restore(backup)

  expect(listed.body).toMatchObject(expect.arrayContaining([expect.objectContaining({ name: 'link', isLink: true })]))
  expect(through.body.error.code).toBe('ErrFileNotFound')
  expect(single).toMatchObject({ state: 'failed' })
  expect(whole.state).toBe('done')
  expect(server.read('world/level.dat')).toBe('old')
  expect(existsSync(join(outside, 'level.dat'))).toBe(false)
})

test('a running server is paused while it is backed up, and always continues', async ({ node, server }) => {
  await server.create('echo', {
    backup: { before: ['save-off', 'save-all flush'], waitFor: 'save-all flush', after: ['save-on'], timeout: 20 },
  })
  await node.client.send(startServer, { params: server.params, query: { wait: true } })
  const watcher = await node.client.watch(server.id)

  const backup = await server.backUp()

  await watcher.untilText('save-on')
  expect(backup.server).toBe('paused')
  expect(watcher.text.indexOf('save-off')).toBeLessThan(watcher.text.indexOf('save-all flush'))
})

test('a tree that is too deep for paths is backed up in bounded time, and what is missing is counted', async ({
  server,
}) => {
  await server.create()
  makeDeepTree(join(server.dir, 'deep'), 60)
  onTestFinished(() => RootFs.remove(join(server.dir, 'deep')))
  server.write('world/level.dat', 'x')

  const backup = await server.backUp()

  expect(backup.unreadFiles).toBeGreaterThan(0)
  const restored = await server.restore(backup, { paths: ['world/level.dat'], existing: 'keepBoth' })
  expect(restored.state).toBe('done')
  expect(server.read('world/level (2).dat')).toBe('x')
})
