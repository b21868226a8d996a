import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { Backup } from '@innkeeper/contract/backups/backups'
import * as calls from '@innkeeper/contract/backups/backups'
import { afterEach, expect, vi } from 'vitest'
import { type BackupServer, getRestic, slowWait, test } from '../testing/backup-server.ts'
import { TestBoots } from './test-boots.ts'

// A busy machine delays restic, which runs with low priority.
const timeout = 300_000

afterEach(() => void vi.restoreAllMocks())

/** Content that cannot be compressed or deduplicated. */
function fill(server: BackupServer, files: number): void {
  for (let at = 0; at < files; at++) server.write(`world/${at}`, randomBytes(500_000).toString('hex'))
}

/** The processes of restic that run this command. */
const getRuns = (command: string) => getRestic(process.pid, command)

/** A server with a backup and other current files, of 1 MB each. */
async function changedServer(
  server: BackupServer,
  files = 20,
): Promise<{ readonly backup: Backup; readonly stored: unknown }> {
  await server.create()
  fill(server, files)
  const backup = await server.backUp('good')
  const stored = server.read('world/0')
  fill(server, files)
  return { backup, stored }
}

const names = ({ dir }: BackupServer) => readdirSync(dir).toSorted()

/** Watches the commands of restic until the job has ended. */
async function commandsDuring(server: BackupServer, backup: Backup): Promise<Set<string>> {
  const seen = new Set<string>()
  const job = await server.startRestore(backup)
  await vi.waitFor(
    async () => {
      seen.add(['backup', 'restore'].filter((command) => getRuns(command).length > 0).join('+'))
      const state = (await server.jobs()).find(({ id }) => id === job.id)?.state
      expect(state).toBe('done')
    },
    { ...slowWait, interval: 2 },
  )
  return seen
}

test('the current files are stored while the others are restored beside them, and neither has those of the other', {
  timeout,
}, async ({ server }) => {
  // On a busy machine both commands are seen only if they take a while.
  const files = 40
  const { backup, stored } = await changedServer(server, files)
  const current = server.read('world/0')

  const seen = await commandsDuring(server, backup)

  expect(seen).toContain('backup+restore')
  expect(server.read('world/0')).toBe(stored)
  const [safety] = await server.list()
  expect(safety).toMatchObject({ origin: 'restore', files })
  await server.restore(safety as Backup)
  expect(server.read('world/0')).toBe(current)
  await vi.waitFor(() => expect(names(server)).toEqual(['world']), slowWait)
})

test('with little memory the files are restored after the current ones are stored', { timeout }, async ({ server }) => {
  vi.spyOn(TestBoots.prototype, 'freeMemory', 'get').mockReturnValue(100 * 1024 ** 2)
  const { backup } = await changedServer(server)

  const seen = await commandsDuring(server, backup)

  expect(seen).toContain('restore')
  expect(seen).not.toContain('backup+restore')
})

for (const [killed, other] of [
  ['backup', 'restore'],
  ['restore', 'backup'],
] as const) {
  test(`when restic (${killed}) is killed during a restore, no file changes and the other one is ended`, {
    timeout,
  }, async ({ server }) => {
    const { backup } = await changedServer(server)
    const current = server.read('world/0')
    const job = await server.startRestore(backup)
    await vi.waitUntil(() => getRuns('restore').length > 0 && getRuns(killed).length > 0, {
      timeout: slowWait.timeout,
      interval: 2,
    })

    for (const pid of getRuns(killed)) process.kill(pid, 'SIGKILL')

    expect(await server.ended(job)).toMatchObject({
      state: 'failed',
      error: { code: 'ErrBackupFailed', metadata: { reason: 'restic was ended by SIGKILL' } },
    })
    expect(getRuns(other)).toEqual([])
    expect(server.read('world/0')).toBe(current)
    expect(names(server)).toEqual(['world'])
    expect((await server.restore(backup)).state).toBe('done')
  })
}

test('canceling a restore ends both, and changes no file', { timeout }, async ({ node, server }) => {
  const { backup } = await changedServer(server)
  const current = server.read('world/0')
  const job = await server.startRestore(backup)
  await vi.waitUntil(() => getRuns('restore').length > 0, { timeout: slowWait.timeout, interval: 2 })

  await node.client.send(calls.cancelBackupJob, { params: { ...server.params, job: job.id } })

  expect((await server.ended(job)).state).toBe('cancelled')
  expect([...getRuns('backup'), ...getRuns('restore')]).toEqual([])
  expect(server.read('world/0')).toBe(current)
  expect(names(server)).toEqual(['world'])
})
