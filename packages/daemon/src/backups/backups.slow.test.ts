import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempDisposableSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import type { BackupJob } from '@innkeeper/contract/backups/backups'
import * as calls from '@innkeeper/contract/backups/backups'
import type { BackupUsage } from '@innkeeper/contract/backups/node-backups'
import { killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { test as base, expect, vi } from 'vitest'
import { BackupServer, slowWait, test } from '../testing/backup-server.ts'
import { program, TestNode } from '../testing/daemon.ts'

const isRoot = process.getuid?.() === 0

test('a definition is restored only by administrators', async ({ node, server }) => {
  await server.create()
  const backup = await server.backUp()

  const { status, body } = await node.client.send(calls.restoreBackup, {
    params: { ...server.params, backup: backup.id },
    body: { definition: true },
    permissions: ['restoreServerBackups'],
  })

  expect([status, body.error.code]).toEqual([403, 'ErrMissingScope'])
})

test('a backup is browsed and downloaded: a file as it is, a folder as a zip', async ({ node, server }) => {
  await server.create()
  server.write('world/level.dat', 'old')
  server.write('notes.txt', 'text')
  const backup = await server.backUp()
  const of = { ...server.params, backup: backup.id }

  const root = await node.client.send(calls.listBackupFiles, { params: of })
  const inner = await node.client.send(calls.listBackupFiles, { params: of, query: { path: 'world' } })
  const file = await node.client.send(calls.downloadBackup, { params: of, query: { path: 'notes.txt' } })
  const zip = await node.client.fetch(calls.downloadBackup, { params: of, query: { path: 'world' } })
  const bytes = Buffer.from(await zip.body.arrayBuffer())

  expect(root.body).toMatchObject([
    { name: 'notes.txt', isFile: true, size: 4, extension: '.txt' },
    { name: 'world', isFile: false },
  ])
  expect(inner.body).toMatchObject([{ name: 'level.dat', isFile: true }])
  expect([file.body, String(file.headers['content-disposition'])]).toEqual([
    'text',
    'attachment; filename="notes.txt"; filename*=UTF-8\'\'notes.txt',
  ])
  expect(String(zip.headers['content-disposition'])).toContain('world.zip')
  expect(bytes.subarray(0, 2).toString()).toBe('PK')
})

test.for([
  ['the whole backup', '', ['world/level.dat', 'world/region/r.0.0.mca', 'notes.txt']],
  ['a folder', 'world', ['world/level.dat', 'world/region/r.0.0.mca']],
] as const)('%s is downloaded as zip and as tar.zst, complete', async ([, path, files], { node, server }) => {
  await server.create()
  server.write('world/level.dat', 'level')
  server.write('world/region/r.0.0.mca', randomBytes(500_000).toString('hex'))
  server.write('notes.txt', 'text')
  const backup = await server.backUp()
  const params = { ...server.params, backup: backup.id }
  const download = async (format: calls.BackupArchive) => {
    const { headers, body } = await node.client.fetch(calls.downloadBackup, { params, query: { path, format } })
    return { name: String(headers['content-disposition']), bytes: Buffer.from(await body.arrayBuffer()) }
  }

  const [zip, tar] = [await download('zip'), await download('tar.zst')]

  using zipped = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-zip-'))
  using tarred = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-tar-'))
  writeFileSync(join(zipped.path, 'a.zip'), zip.bytes)
  execFileSync('7z', ['x', '-y', `-o${zipped.path}`, join(zipped.path, 'a.zip')])
  execFileSync('tar', ['-x', '-C', tarred.path], { input: zstdDecompressSync(tar.bytes) })
  expect([zip.name, tar.name]).toEqual([expect.stringMatching(/\.zip$/), expect.stringMatching(/\.tar\.zst$/)])
  for (const dir of [zipped.path, tarred.path])
    expect(files.filter((file) => readFileSync(join(dir, file), 'utf8') !== server.read(file))).toEqual([])
})

test('a server without files is backed up and restored too', async ({ server }) => {
  await server.create()
  const backup = await server.backUp()
  server.write('added.txt', 'added')

  const single = await server.restore(backup, { paths: ['added.txt'] })
  const whole = await server.restore(backup)

  expect(backup).toMatchObject({ files: 0, bytes: 0 })
  expect([single.state, whole.state]).toEqual(['failed', 'done'])
  expect(server.read('added.txt')).toBeUndefined()
})

test('files of .innkeeperignore and of the definition are left out', async ({ server }) => {
  await server.create('true', { backup: { exclude: ['*.log'] } })
  server.write('.innkeeperignore', '# caches\n/cache\nlibs/*.jar\n')
  for (const path of ['cache/a', 'world/cache/b', 'libs/a.jar', 'libs/a.txt', 'latest.log']) server.write(path, path)
  const backup = await server.backUp()
  rmSync(server.dir, { recursive: true })
  mkdirSync(server.dir)

  await server.restore(backup, { paths: ['/'] })

  const kept = ['cache/a', 'world/cache/b', 'libs/a.jar', 'libs/a.txt', 'latest.log'].filter((path) =>
    server.read(path),
  )
  expect(kept).toEqual(['world/cache/b', 'libs/a.txt'])
})

test('a locked backup is not deleted; a deleted one is forgotten by the repository', async ({ node, server }) => {
  await server.create()
  server.write('big', 'x'.repeat(1000))
  const backup = await server.backUp()
  const of = { ...server.params, backup: backup.id }

  const locked = await node.client.send(calls.editBackup, { params: of, body: { isLocked: true, name: 'kept' } })
  const refused = await node.client.send(calls.deleteBackup, { params: of })
  await node.client.send(calls.editBackup, { params: of, body: { isLocked: false } })
  const deleted = await node.client.send(calls.deleteBackup, { params: of })

  expect(locked.body).toMatchObject({ isLocked: true, name: 'kept' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'ErrBackupLocked'])
  expect(deleted.status).toBe(204)
  expect(await server.list()).toEqual([])
  const index = join(node.dataDir, 'backups', 'servers', `${server.id}.json`)
  await vi.waitFor(
    () => expect(JSON.parse(readFileSync(index, 'utf8'))).toMatchObject({ backups: [], forgotten: [] }),
    slowWait,
  )
})

test('without a confirmation, or a way to pause, a backup says that the server was running', async ({
  node,
  server,
}) => {
  await server.create('echo', {
    backup: { before: ['save-off'], waitFor: 'never printed', after: ['save-on'], timeout: 1 },
  })
  await node.client.send(startServer, { params: server.params, query: { wait: true } })
  const watcher = await node.client.watch(server.id)

  const backup = await server.backUp()

  expect(backup.server).toBe('running')
  await watcher.untilText('The server did not confirm within 1 s')
  await watcher.untilText('save-on')
})

test.runIf(isRoot)('a server without commands to pause stands still while it is backed up, and goes on', async () => {
  // The machine may be busy.
  await using node = await TestNode.start({ backups: { freezeMs: 60_000 } })
  const server = new BackupServer(node)
  await node.client.create(server.id, program('two-files'))
  await node.client.send(startServer, { params: server.params, query: { wait: true } })
  const watcher = await node.client.watch(server.id)
  await watcher.untilText('count')

  const backups = []
  for (let count = 0; count < 3; count++) backups.push(await server.backUp())

  const seen = watcher.text.length
  await watcher.until('that it goes on', ({ text }) => text.length > seen)
  await node.client.send(killServer, { params: server.params, query: { wait: true } })
  for (const backup of backups) {
    expect(backup.server).toBe('paused')
    expect((await server.restore(backup)).state).toBe('done')
    const [first, second] = [Number(server.read('first')), Number(server.read('second'))]
    // It may be frozen between the two.
    expect([first, first - 1]).toContain(second)
  }
})

test('jobs run one at a time and can be canceled, and nothing is left of them', async ({ node, server }) => {
  await server.create()
  for (let at = 0; at < 200; at++) server.write(`world/${at}`, String(Math.random()).repeat(20_000))
  const start = async () =>
    (await node.client.send(calls.createBackup, { params: server.params, body: {} })).body as BackupJob

  const [first, second] = [await start(), await start()]
  const readStates = async () => {
    const jobs = (await node.client.send(calls.listBackupJobs, { params: server.params })).body as BackupJob[]
    return jobs.map(({ state }) => state)
  }
  await expect.poll(readStates, { interval: 10 }).toEqual(['waiting', 'running'])
  const blind = await node.client.send(calls.cancelBackupJob, {
    params: { ...server.params, job: second.id },
    permissions: ['viewServerBackups'],
  })
  for (const job of [second, first])
    await node.client.send(calls.cancelBackupJob, {
      params: { ...server.params, job: job.id },
      permissions: ['createServerBackups', 'viewServerBackups'],
    })

  expect(blind.body.error.code).toBe('ErrMissingScope')
  expect([(await server.ended(first)).state, (await server.ended(second)).state]).toEqual(['cancelled', 'cancelled'])
  expect(await server.list()).toEqual([])
  expect(await server.backUp()).toMatchObject({ files: 200 })
})

test('the node measures the space of the backups of each server, where the same content counts once', async ({
  node,
  server,
}) => {
  await server.create()
  server.write('large', randomBytes(600_000).toString('base64'))
  const usage = async (): Promise<BackupUsage | undefined> =>
    ((await node.client.asPanel('GET', '/daemon/backups')).body as BackupUsage[]).find(
      (one) => one.server === server.id,
    )
  const measured = async (backups: number) =>
    await vi.waitFor(async () => {
      const found = await usage()
      expect(found).toMatchObject({ backups, bytes: expect.any(Number) })
      return found?.bytes ?? 0
    }, slowWait)
  expect(await usage()).toBeUndefined()
  await server.backUp()

  const one = await measured(1)
  await server.backUp()
  const two = await measured(2)

  expect(one).toBeGreaterThan(600_000)
  expect(two).toBeLessThan(one * 1.1)
})

base(
  'backups that the index lost are found again, locked; a server whose index cannot be read affects no other',
  async () => {
    await using node = await TestNode.start()
    const server = new BackupServer(node)
    await server.create()
    server.write('a', 'a')
    const backup = await server.backUp('lost')
    await node.detach()
    const indexes = join(node.dataDir, 'backups', 'servers')
    rmSync(join(indexes, `${server.id}.json`))
    mkdirSync(join(indexes, '00000000.json'))

    await node.start()

    await vi.waitFor(async () => {
      expect(await server.list()).toMatchObject([{ id: backup.id, name: '', isLocked: true }])
      const { body } = await node.client.asPanel('GET', '/daemon/backups')
      expect(body).toMatchObject([{ server: server.id, bytes: expect.any(Number) }])
    }, slowWait)
    const { body: job } = await node.client.send(calls.verifyBackup, {
      params: { ...server.params, backup: backup.id },
    })
    await server.ended(job)
    expect(await server.list()).toMatchObject([{ verification: { files: 1, bytes: 1 } }])
  },
)

test('the backups of a removed server are removed', async ({ node, server }) => {
  await server.create()
  server.write('a', 'a')
  await server.backUp()

  await node.client.asPanel('DELETE', `/daemon/server/${server.id}`)
  await server.create()

  expect(await server.list()).toEqual([])
})
