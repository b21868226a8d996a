import { expect, test } from 'vitest'
import { BackupRetention, expiredBackups } from './backup-retention.ts'

const stored = (...times: string[]) => times.map((createdAt) => ({ createdAt, isLocked: false }))

function kept(times: string[], rules: Partial<BackupRetention>, timezone = 'UTC'): string[] {
  const backups = stored(...times)
  const expired = expiredBackups(backups, BackupRetention.parse(rules), timezone)
  return backups.filter((one) => !expired.includes(one)).map(({ createdAt }) => createdAt)
}

const night = (date: string) => `${date}T03:00:00.000Z`

test('the newest ones are kept, in any order of the list', () => {
  const times = [night('2026-11-02'), night('2026-11-04'), night('2026-11-01'), night('2026-11-03')]

  expect(kept(times, { last: 2 })).toEqual([night('2026-11-04'), night('2026-11-03')])
  expect(kept(times, { last: 9 })).toEqual(times)
})

test('of each of the last days, weeks, months and years that have one, the newest is kept', () => {
  const times = [
    ...['2026-11-25T20:00:00.000Z', night('2026-11-25'), night('2026-11-23'), night('2026-11-22')],
    ...[night('2026-11-16'), night('2026-10-31'), night('2026-10-01'), night('2025-12-31'), night('2024-01-01')],
  ]

  expect(kept(times, { daily: 2 })).toEqual([times[0], times[2]])
  expect(kept(times, { weekly: 3 })).toEqual([times[0], times[3], times[5]])
  expect(kept(times, { monthly: 2 })).toEqual([times[0], times[5]])
  expect(kept(times, { yearly: 3 })).toEqual([times[0], times[7], times[8]])
  expect(kept(times, { last: 1, yearly: 2 })).toEqual([times[0], times[7]])
})

test('a day ends at midnight of the time zone, a week may span two years', () => {
  const times = ['2026-11-25T04:00:00.000Z', '2026-11-24T23:30:00.000Z', '2026-11-24T22:30:00.000Z']

  expect(kept(times, { daily: 9 })).toEqual([times[0], times[1]])
  expect(kept(times, { daily: 9 }, 'Europe/Berlin')).toEqual([times[0], times[2]])
  expect(kept([night('2026-01-04'), night('2025-12-29')], { weekly: 9 })).toEqual([night('2026-01-04')])
})

test('without a number all are kept, and locked ones always', () => {
  const backups = [
    { createdAt: night('2026-11-02'), isLocked: false },
    { createdAt: night('2026-11-01'), isLocked: true },
    { createdAt: night('2026-10-31'), isLocked: false },
  ]

  expect(expiredBackups(backups, BackupRetention.parse({}), 'UTC')).toEqual([])
  expect(expiredBackups(backups, BackupRetention.parse({ last: 1 }), 'UTC')).toEqual([backups[2]])
})

test('backups with a failed verification or a date in the future are kept, but count for no rule', () => {
  const good = [night('2026-11-01'), night('2026-11-02')].map((createdAt) => ({ createdAt, isLocked: false }))
  const damaged = {
    createdAt: night('2026-11-03'),
    isLocked: false,
    verification: { error: { code: 'ErrBackupFailed' } },
  }
  const future = { createdAt: night('2027-01-01'), isLocked: false, verification: {} }
  const retention = BackupRetention.parse({ last: 1, daily: 1 })

  const expired = expiredBackups([...good, damaged, future], retention, 'UTC', new Date(night('2026-11-04')))

  expect(expired).toEqual([good[0]])
})
