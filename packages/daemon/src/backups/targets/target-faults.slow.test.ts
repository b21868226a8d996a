import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BackupTargetInput, putServerBackupTargets } from '@innkeeper/contract/backups/backup-targets'
import { type BackupJob, copyBackups, deleteBackup } from '@innkeeper/contract/backups/backups'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, test, vi } from 'vitest'
import { BackupServer, getRestic, slowWait } from '../../testing/backup-server.ts'
import { TestNode } from '../../testing/daemon.ts'
import { restServer, sftpServer, type TargetServer } from '../../testing/target-servers.ts'

vi.setConfig({ testTimeout: 300_000 })

const servers = { rest: restServer, sftp: sftpServer }
const types = ['rest', 'sftp'] as const

interface Fixture extends AsyncDisposable {
  readonly node: TestNode
  readonly server: BackupServer
  readonly remote: TargetServer
  readonly target: string
}

/** A running server whose backups go to the folder of the node and to a target. */
async function begin(type: (typeof types)[number]): Promise<Fixture> {
  const node = await TestNode.start({ backups: { targetWaitMs: 1_000 } })
  const [server, remote] = [new BackupServer(node), await servers[type]()]
  await server.create('echo')
  await node.client.send(startServer, { params: server.params, query: { wait: true } })
  server.write('level.dat', 'old')
  const { createBackupTarget: create } = panelEndpoints
  const input: BackupTargetInput = { name: 'NAS', address: remote.address, secrets: remote.secrets }
  const { body } = await node.client.asPanel(create.method, create.path, input)
  await node.client.send(putServerBackupTargets, { params: server.params, body: ['local', body.id] })
  return {
    node,
    server,
    remote,
    target: body.id,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      await remote[Symbol.asyncDispose]()
    },
  }
}

const getReason = ({ error }: { error?: BackupJob['error'] }) => String(error?.metadata?.reason)

async function copyNow({ node, server, target }: Fixture): Promise<BackupJob> {
  return await server.ended((await node.client.send(copyBackups, { params: { ...server.params, target } })).body)
}

/** What must be true whatever happens to a target: the server runs, and the old backup can be restored. */
async function expectGood({ node, server }: Fixture): Promise<void> {
  const { body } = await node.client.send(getStatus, { params: server.params })
  expect(body).toMatchObject({ running: true })
  server.write('level.dat', 'new')
  const good = (await server.list()).at(-1)
  if (!good) throw new Error('the old backup is gone')
  expect((await server.restore(good, { paths: ['level.dat'], target: 'local' })).state).toBe('done')
  expect(server.read('level.dat')).toBe('old')
}

/** Locks a repository exclusively, as a check by an administrator does. */
async function lockRepository({ node, remote }: Fixture): Promise<() => Promise<void>> {
  const locks = join(remote.dir, 'locks')
  const child = spawn('restic', ['--repo', remote.dir, '--no-cache', 'check', '--read-data'], {
    env: { ...process.env, RESTIC_PASSWORD: readFileSync(join(node.dataDir, 'backups', 'key'), 'utf8').trim() },
    stdio: 'ignore',
  })
  const exit = once(child, 'exit')
  await vi.waitUntil(() => readdirSync(locks).some((name) => /^[0-9a-f]{64}$/.test(name)), {
    timeout: slowWait.timeout,
    interval: 1,
  })
  child.kill('SIGSTOP')
  return async () => {
    child.kill('SIGKILL')
    await exit
  }
}

test.for(types)(
  'a lock of another program fails the copy with the reason; a stale one is removed (%s)',
  async (type) => {
    await using fixture = await begin(type)
    const { server } = fixture
    await server.backUp('good')
    const kill = await lockRepository(fixture)

    server.write('level.dat', 'second')
    const { copies } = await server.backUp('second')
    await expectGood(fixture)
    // Its lock stays in the repository.
    await kill()
    const locks = readdirSync(join(fixture.remote.dir, 'locks'))
    const copied = await copyNow(fixture)

    expect(copies).toMatchObject([{ state: 'stored' }, { state: 'failed' }])
    expect(getReason(copies?.[1] ?? {})).toMatch(/another program has locked the repository\. Try again/)
    expect(locks).toHaveLength(1)
    expect(copied.state).toBe('done')
    expect((await server.list()).map((backup) => backup.copies?.map(({ state }) => state))).toEqual([
      ['stored', 'stored'],
      ['stored', 'stored'],
    ])
  },
)

test.for(types)(
  'secrets that become wrong fail the copy, and it is made as soon as they are mended (%s)',
  async (type) => {
    await using fixture = await begin(type)
    const { node, server, remote, target } = fixture
    await server.backUp('good')
    const { editBackupTarget: edit } = panelEndpoints
    const setSecrets = async (password: string | undefined) =>
      await node.client.asPanel(edit.method, edit.path.replace(':target', target), {
        name: 'NAS',
        address: remote.address,
        secrets: { password },
      })
    await setSecrets('wrong')

    const { copies } = await server.backUp('second')
    await expectGood(fixture)
    await setSecrets(remote.secrets.password)

    expect(getReason(copies?.[1] ?? {})).toMatch(/the target refused the login.*Check user, password/)
    await vi.waitFor(async () => {
      expect((await server.list()).map((backup) => backup.copies?.[1]?.state)).toEqual(['stored', 'stored'])
    }, slowWait)
  },
)

test.for(types)(
  'a target that goes away during a copy fails it soon, and the copy can be made later (%s)',
  async (type) => {
    await using fixture = await begin(type)
    const { node, server, remote } = fixture
    await server.backUp('good')
    for (let at = 0; at < 80; at++) server.write(`world/${at}`, randomBytes(500_000).toString('hex'))
    const before = readdirSync(join(remote.dir, 'data'), { recursive: true }).length
    const job = await server.start('second')

    // A part of the copy is there.
    await vi.waitUntil(() => readdirSync(join(remote.dir, 'data'), { recursive: true }).length > before + 1, {
      timeout: slowWait.timeout,
      interval: 5,
    })
    await remote.stop()
    const ended = await server.ended(job)
    const [second] = await server.list()
    await expectGood(fixture)
    await remote.start()
    const copied = await copyNow(fixture)

    expect(ended.state).toBe('done')
    expect(second?.copies).toMatchObject([{ state: 'stored' }, { state: 'failed', nextTryAt: expect.any(String) }])
    expect(getReason(second?.copies?.[1] ?? {})).toMatch(
      /the target does not respond|the connection to the target was lost/,
    )
    expect(copied.state).toBe('done')
    expect(getRestic(process.pid, 'copy')).toEqual([])
    // Locks of the copy that was ended do not stop the deletion.
    const params = { ...server.params, backup: second?.id }
    await node.client.send(deleteBackup, { params })
    await vi.waitFor(
      () => expect(readdirSync(join(remote.dir, 'snapshots'), { recursive: true })).toHaveLength(2),
      slowWait,
    )
  },
)

test.runIf(process.getuid?.() === 0).for(types)('a full target fails the copy with the reason (%s)', async (type) => {
  await using fixture = await begin(type)
  const { server, remote } = fixture
  await server.backUp('good')
  const data = join(remote.dir, 'data')
  const saved = `${remote.dir}-saved`
  mkdirSync(saved)
  execFileSync('cp', ['-a', `${data}/.`, saved])
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'none', data])
  try {
    execFileSync('cp', ['-a', `${saved}/.`, data])
    for (let at = 0; at < 30; at++) server.write(`world/${at}`, randomBytes(500_000).toString('hex'))

    const { copies } = await server.backUp('second')
    await expectGood(fixture)

    expect(copies).toMatchObject([{ state: 'stored' }, { state: 'failed', nextTryAt: expect.any(String) }])
    const { code } = copies?.[1]?.error ?? {}
    const isFull =
      code === 'ErrDisk' || /the target reports an error: .*whether its disk is full/.test(getReason(copies?.[1] ?? {}))
    expect(isFull).toBe(true)
    expect(existsSync(join(data, '..', 'config'))).toBe(true)
  } finally {
    execFileSync('umount', [data])
  }
})
