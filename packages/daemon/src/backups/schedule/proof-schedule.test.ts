import { Refusal } from '@innkeeper/contract/errors/refusals'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { StoredBackup } from '../storage/backup-index.ts'
import { dueProof, ProofSchedule } from './proof-schedule.ts'

const day = 24 * 60 * 60 * 1000
const createdAt = '2026-03-01T12:00:00.000Z'

function getBackup(id: string, more: Partial<StoredBackup> = {}): StoredBackup {
  return {
    id,
    name: '',
    createdAt,
    origin: 'user',
    server: 'stopped',
    files: 1,
    bytes: 1,
    newBytes: 1,
    durationMs: 1,
    isLocked: false,
    snapshot: id,
    ...more,
  }
}

test('a server without a proof needs one since its newest backup, another one after the interval', () => {
  const backups = [getBackup('a'), getBackup('b')]

  expect(dueProof(backups, undefined, day)).toEqual({ backup: backups[1], dueAt: Date.parse(createdAt) })
  expect(dueProof(backups, '2026-03-02T00:00:00.000Z', day)?.dueAt).toBe(Date.parse('2026-03-03T00:00:00.000Z'))
})

test('the newest backup that has files and is not damaged is proved', () => {
  const error = { code: 'ErrBackupFailed' as const }
  const damaged = getBackup('c', { verification: { at: createdAt, files: 0, bytes: 0, error } })
  const empty = getBackup('d', { snapshot: undefined })

  expect(dueProof([getBackup('a'), getBackup('b'), damaged, empty], undefined, day)?.backup.id).toBe('b')
  expect(dueProof([damaged], undefined, day)).toBeUndefined()
})

/** A server with one backup, whose verification ends so. */
function getSchedule(ended: Promise<void>) {
  const verified: string[] = []
  const backups = [getBackup('a')]
  const schedule = new ProofSchedule({
    everyMs: day,
    quietHours: { from: 2, to: 6 },
    servers: { servers: [{ id: 'one' }] } as never,
    indexes: { of: () => ({ backups: async () => backups, provedAt: async () => undefined }) as never },
    verify: async (server, backup) => {
      verified.push(`${server} ${backup}`)
      return { ended }
    },
  })
  return { schedule, verified }
}

const at = (hours: number) => new Date(2026, 2, 2).getTime() + hours * (day / 24)

test.each([
  [new Refusal('ErrBackupFailed'), 22],
  [new Refusal('ErrCancelled'), 2.25],
])('a proof waits for quiet hours, and after %s is tried again later', async (error, hours) => {
  vi.useFakeTimers({ now: at(2) })
  onTestFinished(() => void vi.useRealTimers())
  const ended = Promise.reject(error)
  const { schedule, verified } = getSchedule(ended)
  expect((await schedule.next(at(-2)))?.at).toBe(at(2))
  const due = await schedule.next(at(2))

  await due?.start()
  await ended.catch(() => {})

  expect(verified).toEqual(['one a'])
  expect((await schedule.next(at(2)))?.at).toBe(at(hours))
})
