import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type BackupTargetInput,
  getServerBackupTargets,
  putServerBackupTargets,
} from '@innkeeper/contract/backups/backup-targets'
import * as calls from '@innkeeper/contract/backups/backups'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { test as base, expect, vi } from 'vitest'
import { BackupServer, damageRepository, slowWait, test } from '../../testing/backup-server.ts'
import { TestNode } from '../../testing/daemon.ts'
import { restServer, s3Server, sftpServer, type TargetServer } from '../../testing/target-servers.ts'

const {
  createBackupTarget: create,
  listBackupTargets: list,
  deleteBackupTarget: remove,
  testBackupTarget: testTarget,
} = panelEndpoints

async function addTarget(node: TestNode, { address, secrets }: TargetServer, name = 'NAS'): Promise<string> {
  const input: BackupTargetInput = { name, address, secrets }
  const { status, body } = await node.client.asPanel(create.method, create.path, input)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.id
}

async function select(server: BackupServer, ...targets: readonly string[]): Promise<void> {
  const { status } = await server.node.client.send(putServerBackupTargets, { params: server.params, body: targets })
  expect(status).toBe(204)
}

async function tried(node: TestNode, body: object) {
  return (await node.client.asPanel(testTarget.method, testTarget.path, body)).body
}

async function restoreFrom(server: BackupServer, backup: calls.Backup, target: string) {
  return await server.restore(backup, { target, paths: ['world'] })
}

async function verifyOn(server: BackupServer, backup: calls.Backup, target: string): Promise<calls.BackupJob> {
  const params = { ...server.params, backup: backup.id }
  const { body } = await server.node.client.send(calls.verifyBackup, { params, query: { target } })
  return await server.ended(body)
}

vi.setConfig({ testTimeout: 180_000 })

/** The names of all files; an S3 service has no empty folders. */
const filesIn = (dir: string) =>
  existsSync(dir) ? readdirSync(dir, { recursive: true, encoding: 'utf8' }).join('\n') : ''
const servers = { sftp: sftpServer, s3: s3Server, rest: restServer }

for (const type of ['sftp', 's3', 'rest'] as const) {
  test(`a backup is made once, copied to a target (${type}), and can be verified and restored there`, async ({
    node,
    server,
  }) => {
    await using remote = await servers[type]()
    await server.create()
    server.write('world/level.dat', 'old'.repeat(1_000))
    const { address, secrets } = remote
    const before = await server.backUp('before there was a target')
    const first = await tried(node, { address, secrets })
    const again = await tried(node, { address, secrets })
    const target = await addTarget(node, remote)
    await select(server, target, 'local')

    const backup = await server.backUp('copied')
    server.write('world/level.dat', 'new')
    const verified = await verifyOn(server, backup, target)
    const restored = await restoreFrom(server, backup, target)

    expect([first, again]).toEqual([
      { type: 'ok', isNew: true },
      { type: 'ok', isNew: false },
    ])
    expect([verified.state, restored]).toMatchObject(['done', { state: 'done' }])
    expect(server.read('world/level.dat')).toBe('old'.repeat(1_000))
    expect(await server.list()).toMatchObject([
      {
        id: backup.id,
        files: 1,
        bytes: 3_000,
        copies: [
          { target: 'local', state: 'stored' },
          { target, state: 'stored', verification: { files: 1 } },
        ],
      },
      { id: before.id, copies: [{ target: 'local', state: 'stored' }] },
    ])
    const whole = await server.restore(backup, { target, definition: true })
    expect(whole.state).toBe('done')

    const snapshots = join(remote.dir, 'snapshots')
    const stored = filesIn(snapshots)
    await node.client.send(calls.deleteBackup, { params: { ...server.params, backup: backup.id } })
    await vi.waitFor(() => expect(filesIn(snapshots)).not.toEqual(stored), slowWait)
  })
}

test('backups that only go to a target are listed, read and deleted there', async ({ node, server }) => {
  await using remote = await sftpServer()
  await server.create()
  server.write('world/level.dat', 'old')
  const target = await addTarget(node, { ...remote, secrets: { privateKey: remote.privateKey } })
  await select(server, target)

  const backup = await server.backUp('far')
  server.write('world/level.dat', 'new')
  const params = { ...server.params, backup: backup.id }
  const files = await node.client.send(calls.listBackupFiles, { params, query: { path: 'world' } })
  const file = await node.client.send(calls.downloadBackup, { params, query: { path: 'world/level.dat' } })
  const restored = await server.restore(backup)

  expect(backup.copies).toEqual([{ target, state: 'stored' }])
  expect(files.body).toMatchObject([{ name: 'level.dat', size: 3 }])
  expect(file.body).toBe('old')
  expect(restored.state).toBe('done')
  expect(server.read('world/level.dat')).toBe('old')
  const [safety] = await server.list()
  expect(safety).toMatchObject({ origin: 'restore', copies: [{ target: 'local', state: 'stored' }] })
  const retention = { last: 1, daily: 0, weekly: 0, monthly: 0, yearly: 0 }
  await node.client.send(calls.putBackupRetention, { params: server.params, body: retention })
  expect(await server.list()).toMatchObject([{ id: safety?.id }])
  await vi.waitFor(() => expect(filesIn(join(remote.dir, 'snapshots'))).toBe(''), slowWait)
})

test('while a target does not respond, backups go on with the folder of the node, and are copied later', async ({
  node,
  server,
}) => {
  await using remote = await restServer()
  await server.create()
  server.write('level.dat', '1')
  const target = await addTarget(node, remote)
  await select(server, 'local', target)
  const good = await server.backUp('good')
  await remote.stop()

  server.write('level.dat', '2')
  const other = await server.backUp('meanwhile')
  const { body: listed } = await node.client.asPanel(list.method, list.path)
  const failed = await restoreFrom(server, good, target)
  const fromHere = await server.restore(good, { paths: ['level.dat'] })
  await remote.start()
  server.write('level.dat', '3')
  await server.backUp('after')

  const error = { code: 'ErrBackupFailed', metadata: { reason: expect.stringContaining('does not respond') } }
  expect(other.copies).toMatchObject([
    { target: 'local', state: 'stored' },
    { target, state: 'failed', error },
  ])
  expect(listed.targets).toContainEqual(expect.objectContaining({ id: target, error: expect.objectContaining(error) }))
  expect([failed, fromHere]).toMatchObject([{ state: 'failed', error }, { state: 'done' }])
  const states = (await server.list()).map(({ copies }) => copies?.map(({ state }) => state))
  expect(states).toEqual([
    ['stored', 'stored'],
    ['stored', 'stored'],
    ['stored', 'stored'],
  ])
})

interface NodeEvent {
  readonly type: string
  readonly server: string
}

const getEvents = ({ node, id }: BackupServer): string[] =>
  JSON.parse(readFileSync(join(node.dataDir, 'events.json'), 'utf8'))
    .filter(({ server }: NodeEvent) => server === id)
    .map(({ type }: NodeEvent) => type)

const readStates = async (server: BackupServer) =>
  (await server.list()).map(({ copies }) => copies?.map(({ state }) => state))

base('a missing copy is made without another backup as soon as the target responds, with one alert', async () => {
  await using node = await TestNode.start({ backups: { copyRetries: { firstMs: 200, maxMs: 400 }, dueCheckMs: 50 } })
  const server = new BackupServer(node)
  await using remote = await restServer()
  await server.create()
  server.write('level.dat', '1')
  const target = await addTarget(node, remote)
  await select(server, 'local', target)
  await remote.stop()

  const { copies } = await server.backUp()
  const failed = async () => (await server.jobs()).filter(({ type, state }) => type === 'copy' && state === 'failed')
  await vi.waitFor(async () => expect((await failed()).length).toBeGreaterThan(1), slowWait)
  const waiting = (await server.list())[0]?.copies?.[1]
  const before = getEvents(server)
  await remote.start()

  expect(copies?.[1]).toMatchObject({ target, state: 'failed', nextTryAt: expect.any(String) })
  expect(waiting).toMatchObject({ state: 'failed', error: { code: 'ErrBackupFailed' }, nextTryAt: expect.any(String) })
  await vi.waitFor(async () => expect(await readStates(server)).toEqual([['stored', 'stored']]), slowWait)
  expect((await server.list())[0]?.copies?.[1]).toEqual({ target, state: 'stored' })
  expect([before, getEvents(server)]).toEqual([['backupFailed'], ['backupFailed', 'backupDone']])
})

base('a missing copy is made when the node starts, or when a user asks for it', async () => {
  await using node = await TestNode.start()
  const server = new BackupServer(node)
  await using remote = await sftpServer()
  await server.create()
  server.write('level.dat', '1')
  const target = await addTarget(node, remote)
  await select(server, 'local', target)
  const params = { ...server.params, target }
  await remote.stop()
  await server.backUp('first')
  const refused = await server.ended((await node.client.send(calls.copyBackups, { params })).body)
  const blind = await node.client.send(calls.copyBackups, { params, permissions: ['viewServerBackups'] })
  await remote.start()

  const asked = await server.ended((await node.client.send(calls.copyBackups, { params })).body)
  const again = await node.client.send(calls.copyBackups, { params })
  await remote.stop()
  await server.backUp('second')
  await node.detach()
  await remote.start()
  await node.start()

  expect(refused).toMatchObject({ state: 'failed', error: { code: 'ErrBackupFailed' } })
  expect(asked.state).toBe('done')
  expect([blind.status, again.status]).toEqual([403, 404])
  await vi.waitFor(
    async () =>
      expect(await readStates(server)).toEqual([
        ['stored', 'stored'],
        ['stored', 'stored'],
      ]),
    slowWait,
  )
})

test('a failed target is reported to the panel, although the backup succeeds', async ({ node, server }) => {
  await using remote = await restServer()
  await server.create()
  server.write('level.dat', '1')
  await select(server, 'local', await addTarget(node, remote, 'NAS'))
  await remote.stop()

  await server.backUp()

  const events = JSON.parse(readFileSync(join(node.dataDir, 'events.json'), 'utf8'))
  const own = events.filter((event: { server: string }) => event.server === server.id)
  expect(own).toMatchObject([{ type: 'backupFailed', detail: expect.stringMatching(/NAS: .*does not respond/) }])
})

base('when the folder of the node fails, the files are stored on the other target', async () => {
  await using node = await TestNode.start()
  const server = new BackupServer(node)
  await using remote = await sftpServer()
  await server.create()
  server.write('level.dat', '1')
  const target = await addTarget(node, remote)
  await select(server, 'local', target)
  await server.backUp('good')
  const config = join(node.dataDir, 'backups', 'repository', 'config')
  const saved = readFileSync(config)
  rmSync(config)
  writeFileSync(config, 'damaged')

  const backup = await server.backUp('far')
  rmSync(config)
  writeFileSync(config, saved)

  expect(backup).toMatchObject({
    files: 1,
    copies: expect.arrayContaining([
      expect.objectContaining({ target: 'local', state: 'failed' }),
      { target, state: 'stored' },
    ]),
  })
  server.write('level.dat', '2')
  expect((await server.restore(backup, { paths: ['level.dat'] })).state).toBe('done')
  expect(server.read('level.dat')).toBe('1')
})

test.for([
  ['sftp', { password: 'wrong' }, /refused the login/],
  ['s3', { accessKey: 'wrong', secretKey: 'wrong' }, /refused the login/],
  ['rest', { password: 'wrong' }, /refused the login/],
] as const)('wrong secrets fail with the reason (%s)', async ([type, secrets, reason], { node }) => {
  await using remote = await servers[type]()

  const { error } = await tried(node, { address: remote.address, secrets })

  expect(error).toMatchObject({ code: 'ErrBackupFailed', metadata: { reason: expect.stringMatching(reason) } })
})

test('the host key of SFTP is shown before anything is sent, and no other one is accepted', async ({ node }) => {
  await using remote = await sftpServer()
  const { hostKey, ...address } = remote.address
  await using other = await sftpServer()

  const shown = await tried(node, { address, secrets: remote.secrets })
  const changed = await tried(node, {
    secrets: remote.secrets,
    address: { ...remote.address, hostKey: other.address.hostKey },
  })

  expect(shown).toEqual({ type: 'hostKey', hostKey, fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/) })
  expect(changed.error.metadata.reason).toMatch(/host key of the target has changed|host key is not the confirmed one/)
})

test('damage of a target fails its verification, and the other copies stay good', async ({ node, server }) => {
  await using remote = await restServer()
  await server.create()
  server.write('world/level.dat', 'x'.repeat(200_000))
  const target = await addTarget(node, remote)
  await select(server, 'local', target)
  const backup = await server.backUp()
  damageRepository(node, remote.dir)

  const there = await verifyOn(server, backup, target)
  const here = await verifyOn(server, backup, 'local')

  expect([there.state, here.state]).toEqual(['failed', 'done'])
  const [{ copies } = { copies: [] }] = await server.list()
  expect(copies).toMatchObject([
    { target: 'local', verification: { files: 1 } },
    { target, verification: { error: { code: 'ErrBackupFailed' } } },
  ])
  expect(copies?.[0]?.verification?.error).toBeUndefined()
})

test('an empty folder is not taken for a repository that was there before', async ({ node, server }) => {
  await using remote = await sftpServer()
  await server.create()
  server.write('level.dat', '1')
  const target = await addTarget(node, remote)
  await select(server, 'local', target)
  await server.backUp()
  rmSync(remote.dir, { recursive: true })

  const { copies } = await server.backUp()

  expect(copies?.[1]).toMatchObject({
    state: 'failed',
    error: { metadata: { reason: expect.stringContaining('the repository is missing on the target') } },
  })
})

test('a removed target is no target of a server any more, and backups that were only there are gone', async ({
  node,
  server,
}) => {
  await using remote = await restServer()
  await server.create()
  server.write('level.dat', '1')
  const target = await addTarget(node, remote)
  await select(server, target)
  await server.backUp('far')
  await node.client.asPanel(remove.method, remove.path.replace(':target', target))

  const { body } = await node.client.send(getServerBackupTargets, { params: server.params })

  expect(body.selected).toEqual(['local'])
  expect(await server.list()).toEqual([])
  expect(await server.backUp('near')).toMatchObject({ copies: [{ target: 'local' }] })
})
