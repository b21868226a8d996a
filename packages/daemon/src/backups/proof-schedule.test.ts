import { expect, test } from 'vitest'
import type { StoredBackup } from './backup-index.ts'
import { dueProof, mayProve } from './proof-schedule.ts'

const day = 24 * 60 * 60 * 1000
const createdAt = '2026-03-01T12:00:00.000Z'

function backupOf(id: string, more: Partial<StoredBackup> = {}): StoredBackup {
  return {
    ...{ id, name: '', createdAt, origin: 'user', server: 'stopped', files: 1, bytes: 1, newBytes: 1 },
    ...{ durationMs: 1, isLocked: false, snapshot: id, ...more },
  }
}

test('a server without a proof needs one since its newest backup, another one after the interval', () => {
  const backups = [backupOf('a'), backupOf('b')]

  expect(dueProof(backups, undefined, day)).toEqual({ backup: backups[1], dueAt: Date.parse(createdAt) })
  expect(dueProof(backups, '2026-03-02T00:00:00.000Z', day)?.dueAt).toBe(Date.parse('2026-03-03T00:00:00.000Z'))
})

test('the newest backup that has files and is not damaged is proved', () => {
  const error = { code: 'ErrBackupFailed' as const }
  const damaged = backupOf('c', { verification: { at: createdAt, files: 0, bytes: 0, error } })
  const empty = backupOf('d', { snapshot: undefined })

  expect(dueProof([backupOf('a'), backupOf('b'), damaged, empty], undefined, day)?.backup.id).toBe('b')
  expect(dueProof([damaged], undefined, day)).toBeUndefined()
})

test.each([
  [{ from: 2, to: 6 }, 1, false],
  [{ from: 2, to: 6 }, 2, true],
  [{ from: 2, to: 6 }, 6, false],
  [{ from: 22, to: 4 }, 23, true],
  [{ from: 22, to: 4 }, 3, true],
  [{ from: 22, to: 4 }, 12, false],
])('in the quiet hours %o, a proof at %i o’clock may begin: %o', (quietHours, hour, expected) => {
  const now = new Date(2026, 2, 10, hour, 30)

  expect(mayProve({ dueAt: now.getTime() }, quietHours, now)).toBe(expected)
})

test('after a day, a proof does not wait for quiet hours', () => {
  const now = new Date(2026, 2, 10, 12)

  expect(mayProve({ dueAt: now.getTime() - 25 * 60 * 60 * 1000 }, { from: 2, to: 6 }, now)).toBe(true)
})
