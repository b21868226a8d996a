import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { test as base, expect } from 'vitest'
import { BackupIndex, type StoredBackup } from './backup-index.ts'

const test = base.extend<{ index: BackupIndex }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  index: async ({}, use) => {
    const dir = mkdtempSync(join(tmpdir(), 'innkeeper-index-'))
    await use(new BackupIndex(dir, '0a0a0a0a', pino({ level: 'silent' })))
    rmSync(dir, { recursive: true })
  },
})

const stored = (id: string, createdAt: string, isLocked = false): StoredBackup => ({
  id,
  createdAt,
  isLocked,
  name: '',
  origin: 'user',
  server: 'stopped',
  files: 0,
  bytes: 0,
  newBytes: 0,
  durationMs: 0,
  snapshot: `snapshot of ${id}`,
})

const ids = async (index: BackupIndex) => (await index.backups()).map(({ id }) => id)

test('the backups are in the order of their dates, and the one that was created last is known', async ({ index }) => {
  await index.add(stored('b', '2026-11-02T03:00:00.000Z'))
  await index.add(stored('before the clock was set', '2020-01-01T00:00:00.000Z'))
  await index.adopt([stored('a', '2026-11-01T03:00:00.000Z')])

  expect(await ids(index)).toEqual(['before the clock was set', 'a', 'b'])
  expect(await index.latest()).toBe('before the clock was set')
})

test('a backup that is locked while its removal is decided stays; only the removal of the server removes it', async ({
  index,
}) => {
  await index.add(stored('a', '2026-11-01T03:00:00.000Z'))
  await index.add(stored('b', '2026-11-02T03:00:00.000Z'))
  const locking = index.update('a', (backup) => ({ ...backup, isLocked: true }))

  const [removal] = await Promise.allSettled([index.remove('a'), index.removeUnlocked(['a', 'b']), locking])

  expect(removal).toMatchObject({ status: 'rejected', reason: { code: 'ErrBackupLocked' } })
  await expect(index.remove('b')).rejects.toMatchObject({ code: 'ErrBackupNotFound' })
  expect(await ids(index)).toEqual(['a'])
  expect(await index.forgotten('local')).toEqual(['snapshot of b'])
  await index.removeAll()
  expect(await ids(index)).toEqual([])
})
