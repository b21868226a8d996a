import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Backup, BackupJob } from '@innkeeper/contract/backups/backups'
import * as calls from '@innkeeper/contract/backups/backups'
import { test as base, expect } from 'vitest'
import { BackupServer, damageRepository } from '../testing/backup-server.ts'
import { TestNode } from '../testing/daemon.ts'

/** A test with a repository of its own. */
const test = base.extend<{ server: BackupServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  server: async ({}, use) => {
    await using node = await TestNode.start()
    const server = new BackupServer(node)
    await server.create()
    await use(server)
  },
})

async function verify(server: BackupServer, { id }: Backup): Promise<BackupJob> {
  const { body } = await server.node.client.send(calls.verifyBackup, { params: { ...server.params, backup: id } })
  return await server.ended(body)
}

const find = async (server: BackupServer, { id }: Backup) => (await server.list()).find((one) => one.id === id)

test('a verification restores all files of a small backup, and leaves nothing', async ({ server }) => {
  server.write('world/level.dat', 'x'.repeat(1_000))
  server.write('odd [name]*?.txt', 'odd')
  const backup = await server.backUp()

  expect((await verify(server, backup)).state).toBe('done')

  expect(await find(server, backup)).toMatchObject({ verification: { files: 2, bytes: 1_003 } })
  expect(readdirSync(server.dir).toSorted()).toEqual(['odd [name]*?.txt', 'world'])
})

test('of a large backup it restores some files', async ({ server }) => {
  server.write('large', '')
  truncateSync(join(server.dir, 'large'), 300 * 1024 ** 2)
  for (const name of ['a', 'b', '[c]*']) server.write(`world/${name}`, name)
  const backup = await server.backUp()

  expect((await verify(server, backup)).state).toBe('done')

  expect(await find(server, backup)).toMatchObject({ verification: { files: 3, bytes: 6 } })
})

test('a damaged repository fails the verification and the restore with the reason; a good backup stays good', async ({
  server,
}) => {
  server.write('small', 'small')
  const good = await server.backUp('good')
  server.write('large', Array.from({ length: 100_000 }, () => Math.random()).join())
  const bad = await server.backUp('bad')
  damageRepository(server.node)

  const [ofBad, ofGood] = [await verify(server, bad), await verify(server, good)]

  const error = {
    code: 'ErrBackupFailed',
    metadata: { reason: expect.stringContaining('is damaged in the repository') },
  }
  expect(ofBad).toMatchObject({ state: 'failed', type: 'verify', error })
  expect(await find(server, bad)).toMatchObject({ verification: { files: 0, error } })
  expect(ofGood.state).toBe('done')
  server.write('large', 'present')
  expect(await server.restore(bad)).toMatchObject({ state: 'failed', error })
  expect(server.read('large')).toBe('present')
  expect((await server.restore(good)).state).toBe('done')
  expect([server.read('small'), server.read('large')]).toEqual(['small', undefined])
})

test('a backup can be created with a verification after it', async ({ server }) => {
  server.write('level.dat', 'level')

  const { body } = await server.node.client.send(calls.createBackup, { params: server.params, body: { verify: true } })
  await server.ended(body)

  const [verification] = await server.jobs()
  expect(verification).toMatchObject({ type: 'verify' })
  await server.ended(verification as BackupJob)
  expect(await server.list()).toMatchObject([{ verification: { files: 1, bytes: 5 } }])
})
