import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as calls from '@innkeeper/contract/backups/backups'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { afterAll, test as base, beforeAll, expect, vi } from 'vitest'
import { BackupServer, damageRepository, slowWait } from '../testing/backup-server.ts'
import { TestNode } from '../testing/daemon.ts'
import { createWorld, OutsideProgram } from '../testing/world.ts'

/** Copies need users of their own. */
const isRoot = process.getuid?.() === 0
const test = base.runIf(isRoot)

const outside = new OutsideProgram()
beforeAll(() => outside.listen())
afterAll(() => outside.close())

const hour = 60 * 60 * 1000
const neverReady = { run: { readyPattern: 'never printed' } }
const getCopies = ({ dataDir }: TestNode) => readdirSync(join(dataDir, 'copies'))

async function startVerification(server: BackupServer) {
  const [backup] = await server.list()
  const params = { ...server.params, backup: backup?.id }
  return (await server.node.client.send(calls.verifyBackup, { params })).body
}

test('a copy that never becomes ready fails after the timeout, is reported to the panel, and is removed', async () => {
  await using node = await TestNode.start({ backups: { bootTimeoutMs: 2_000 } })
  const server = new BackupServer(node)
  await createWorld(server, outside, neverReady)
  server.write('level.dat', 'good')
  await server.backUp()

  const job = await server.ended(await startVerification(server))

  const error = { code: 'ErrBackupNotBooted', metadata: { reason: 'it was not ready within 2 seconds' } }
  expect(job).toMatchObject({ state: 'failed', error })
  expect(await server.list()).toMatchObject([{ verification: { bootError: error } }])
  const events = JSON.parse(readFileSync(join(node.dataDir, 'events.json'), 'utf8'))
  const failed = {
    type: 'backupFailed',
    server: server.id,
    detail: expect.stringContaining('not ready within 2 seconds'),
  }
  expect(events).toContainEqual(expect.objectContaining(failed))
  expect(await node.liveKeys()).toEqual([])
  expect(getCopies(node)).toEqual([])
})

test('a node that is switched off for it starts no copy', async () => {
  await using node = await TestNode.start({
    backups: { boot: false },
  })
  const server = new BackupServer(node)
  await createWorld(server, outside)
  server.write('level.dat', 'good')
  await server.backUp()

  const job = await server.ended(await startVerification(server))

  expect(job.state).toBe('done')
  expect(await server.list()).toMatchObject([
    { verification: { files: 1, notBooted: 'this is switched off on the node' } },
  ])
})

base(
  'where servers have no users of their own, the files are verified, and the list says why no copy was started',
  async () => {
    // Their users cannot reach a folder in this one.
    const closed = await mkdtemp(join(tmpdir(), 'innkeeper-closed-'))
    try {
      await using node = await TestNode.start({ parentDir: closed })
      const server = new BackupServer(node)
      await createWorld(server, outside)
      server.write('level.dat', 'good')
      await server.backUp()

      const job = await server.ended(await startVerification(server))

      expect(job.state).toBe('done')
      const reason = isRoot ? `other users cannot traverse the directory ${closed}` : 'Innkeeper does not run as root'
      expect(await server.list()).toMatchObject([{ verification: { files: 1, notBooted: reason } }])
    } finally {
      await rm(closed, { recursive: true })
    }
  },
)

test('the newest backup of a server is proved without being asked', async () => {
  await using node = await TestNode.start({
    backups: { proofEveryMs: hour, dueCheckMs: 500 },
  })
  const server = new BackupServer(node)
  await createWorld(server, outside)
  server.write('level.dat', 'good')

  await server.backUp()

  await vi.waitFor(async () => {
    expect(await server.list()).toMatchObject([{ verification: { bootedInMs: expect.any(Number) } }])
  }, slowWait)
})

test('a damaged backup is not started', async () => {
  await using node = await TestNode.start()
  const server = new BackupServer(node)
  await createWorld(server, outside)
  server.write('level.dat', Array.from({ length: 100_000 }, () => Math.random()).join())
  await server.backUp()
  damageRepository(node)

  const job = await server.ended(await startVerification(server))

  expect(job).toMatchObject({ state: 'failed', error: { code: 'ErrBackupFailed' } })
  const [backup] = await server.list()
  expect(backup?.verification).toMatchObject({ error: { code: 'ErrBackupFailed' } })
  expect(backup?.verification?.bootedInMs).toBeUndefined()
  expect(getCopies(node)).toEqual([])
})

test('after a crash of the daemon, the next one kills the copy and removes its files', async () => {
  await using node = await TestNode.start({ apart: true })
  const server = new BackupServer(node)
  await createWorld(server, outside, neverReady)
  server.write('level.dat', 'good')
  await server.backUp()
  await startVerification(server)
  await vi.waitFor(async () => expect(await node.liveKeys()).toEqual([`${server.id}/copy`]), slowWait)
  const pid = (await node.findProcess(`${server.id}/copy`)) ?? 0
  expect(getCopies(node)).toEqual([server.id])

  await node.kill()
  await node.start()

  expect(getCopies(node)).toEqual([])
  expect(await node.liveKeys()).toEqual([])
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(await server.jobs()).toMatchObject([
    { type: 'verify', state: 'failed', error: { code: 'ErrTaskInterrupted' } },
  ])
})

test('no copy is started when the definition, a step or the memory forbids it; the files are verified', {
  timeout: 300_000,
}, async () => {
  await using node = await TestNode.start()
  const server = new BackupServer(node)
  await createWorld(server, outside, { backup: { boot: false } })
  server.write('level.dat', 'good')
  const proveNotBooted = async () => {
    await server.backUp()
    await server.ended(await startVerification(server))
    const [backup] = await server.list()
    expect(backup?.verification).toMatchObject({ files: 1 })
    return backup?.verification?.notBooted
  }
  const reasons = [await proveNotBooted()]
  const definitions = [
    { run: { command: 'true', readyPattern: 'Done!', pre: [{ type: 'download', files: 'https://example.com/a' }] } },
    { run: { command: 'true' } },
    {
      run: { command: 'true', readyPattern: 'Done!' },
      environment: { type: 'docker', image: 'a', bindings: { '/srv/maps': '/maps' } },
    },
    { run: { command: 'true', readyPattern: 'Done!' }, environment: { type: 'docker', image: 'a' } },
    {
      run: { command: 'true', readyPattern: 'Done!' },
      environment: { type: 'standard', limits: { memory: 1_000_000_000 } },
    },
  ]
  for (const definition of definitions) {
    await node.client.send(putDefinition, { params: server.params, body: { type: 'test', ...definition } })
    reasons.push(await proveNotBooted())
  }

  expect(reasons).toEqual([
    'its definition says that it does not start without a network',
    'the step download before its start needs a network',
    'its definition has no ready pattern',
    'its container has other folders of the node',
    new Refusal('ErrDockerNotSupported').message,
    'the node has not enough free memory',
  ])
})
