import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Backup, BackupJob } from '@innkeeper/contract/backups/backups'
import * as calls from '@innkeeper/contract/backups/backups'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { type BackupServer, test as base, slowWait } from '../testing/backup-server.ts'
import { createWorld, OutsideProgram } from '../testing/world.ts'

/** Copies need users of their own. */
const test = base.runIf(process.getuid?.() === 0)

const outside = new OutsideProgram()
beforeAll(() => outside.listen())
afterAll(() => outside.close())

async function verify(server: BackupServer, { id }: Backup): Promise<BackupJob> {
  const { body } = await server.node.client.send(calls.verifyBackup, { params: { ...server.params, backup: id } })
  return await server.ended(body)
}

async function verified(server: BackupServer): Promise<Backup['verification']> {
  return (await server.list())[0]?.verification
}

const getCopies = (server: BackupServer) => readdirSync(join(server.node.dataDir, 'copies'))

test('a verification starts a copy until it is ready, while the server runs, and leaves nothing of it', async ({
  server,
}) => {
  await createWorld(server, outside)
  server.write('level.dat', 'good')
  const backup = await server.backUp()
  const before = await server.node.client.watch(server.id)
  await server.node.client.send(startServer, { params: server.params, query: { wait: true } })
  await before.untilText('outside: connected')
  const visitorsBefore = outside.visitors
  const written = server.read('written')

  const job = await verify(server, backup)

  expect(job).toMatchObject({ state: 'done' })
  expect(await verified(server)).toMatchObject({ files: 1, bootedInMs: expect.any(Number) })
  expect((await verified(server))?.bootError).toBeUndefined()
  expect([outside.visitors, server.read('written')]).toEqual([visitorsBefore, written])
  expect(getCopies(server)).toEqual([])
  expect(await server.node.liveKeys()).not.toContain(`${server.id}/copy`)
})

test('a copy runs its pre steps on the restored files, and cannot reach the network', async ({ server }) => {
  const pre = [{ type: 'writefile', target: 'level.dat', text: 'from a step' }]
  await createWorld(server, outside, { run: { pre, readyPattern: 'outside: ECONNREFUSED' } })
  server.write('other', 'other')
  const visitorsBefore = outside.visitors

  await verify(server, await server.backUp())

  expect(await verified(server)).toMatchObject({ bootedInMs: expect.any(Number) })
  expect(outside.visitors).toBe(visitorsBefore)
  expect([server.read('level.dat'), server.read('written')]).toEqual([undefined, undefined])
})

test('a copy that ends fails the job, and the console has its output; the backup counts as good', async ({
  server,
}) => {
  await createWorld(server, outside)
  server.write('other', 'other')
  const backup = await server.backUp()
  const console = await server.node.client.watch(server.id)

  const job = await verify(server, backup)

  const error = {
    code: 'ErrBackupNotBooted',
    metadata: { reason: 'it ended with exit code 1 before it was ready' },
  }
  expect(job).toMatchObject({ state: 'failed', error })
  expect(await verified(server)).toMatchObject({ files: 1, bootError: error })
  expect((await verified(server))?.error).toBeUndefined()
  await console.untilText("Copy: Error: ENOENT: no such file or directory, open 'level.dat'")
  expect(getCopies(server)).toEqual([])
})

test('canceling ends the copy', async ({ server }) => {
  await createWorld(server, outside, { run: { readyPattern: 'never printed' } })
  server.write('level.dat', 'good')
  const { id } = await server.backUp()
  const { body } = await server.node.client.send(calls.verifyBackup, { params: { ...server.params, backup: id } })
  await vi.waitFor(async () => expect(await server.node.liveKeys()).toContain(`${server.id}/copy`), slowWait)

  await server.node.client.send(calls.cancelBackupJob, { params: { ...server.params, job: body.id } })

  expect((await server.ended(body)).state).toBe('cancelled')
  expect(await server.node.liveKeys()).not.toContain(`${server.id}/copy`)
  expect(getCopies(server)).toEqual([])
  expect(await verified(server)).toBeUndefined()
})
