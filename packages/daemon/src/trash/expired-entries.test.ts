import type { TrashEntry } from '@innkeeper/contract/servers/trash'
import { expect, test } from 'vitest'
import { dayMs, expiredEntries, maxEntries, minKeptMs, missingBytes } from './expired-entries.ts'

const now = Date.parse('2026-01-10T00:00:00Z')
const limits = { days: 7, maxBytes: 100, maxVersions: 2 }
const entry = (id: string, ageMs: number, bytes?: number) => ({
  id,
  path: `/${id}`,
  paths: 1,
  reason: 'overwritten' as TrashEntry['reason'],
  discardedAt: new Date(now - ageMs).toISOString(),
  bytes,
})
const hour = 60 * 60 * 1000

const ids = (entries: ReturnType<typeof entry>[], missing = 0, own = limits) =>
  expiredEntries(entries, own, { now, missingBytes: missing }).map(({ id }) => id)

test('entries are removed after their time', () => {
  expect(ids([entry('new', 6 * dayMs), entry('old', 8 * dayMs)])).toEqual(['old'])
  expect(ids([entry('any', 1)], 0, { ...limits, days: 0 })).toEqual(['any'])
})

test('the oldest are removed until the rest is small enough', () => {
  expect(ids([entry('c', hour, 60), entry('a', 3 * hour, 60), entry('b', 2 * hour, 40)])).toEqual(['a'])
})

test('a large new entry stays for a while, for an undo', () => {
  expect(ids([entry('large', minKeptMs / 2, 500), entry('old', hour, 1)])).toEqual(['old'])
  expect(ids([entry('large', minKeptMs * 2, 500)])).toEqual(['large'])
})

test('the oldest are removed when there are too many', () => {
  const many = Array.from({ length: maxEntries + 2 }, (_, at) => entry(String(at), hour - at, 0))

  expect(ids(many)).toEqual(['0', '1'])
})

test('the oldest former contents of a file are removed when it has too many', () => {
  const version = (id: string, ageMs: number, more = {}) => ({ ...entry(id, ageMs, 0), path: '/a', ...more })
  const versions = ['1', '2', '3', '4'].map((id, at) => version(id, hour - at))

  expect(ids(versions)).toEqual(['1', '2'])
  expect(ids([...versions.slice(0, 2), entry('other', 2 * hour, 0)])).toEqual([])
  const byTask = ['5', '6', '7'].map((id) => version(id, 1))
  const byUser = versions.slice(0, 2).map((one) => ({ ...one, author: 'ann' }))
  expect(ids([...byUser, ...byTask])).toEqual(['5'])
  // What was deleted, or replaced together with other files, can be restored from the trash.
  expect(ids(versions.map((one) => ({ ...one, paths: 2 })))).toEqual([])
  expect(ids(versions.map((one) => ({ ...one, reason: 'deleted' as const })))).toEqual([])
})

test('entries are removed for a disk that is almost full', () => {
  expect(ids([entry('new', 1, 50), entry('old', hour, 30)], 10)).toEqual(['old'])
  expect(ids([entry('new', 1, 50), entry('old', hour, 30)], 40)).toEqual(['old', 'new'])
  expect(missingBytes({ total: 1_000, free: 20 })).toBe(30)
  expect(missingBytes({ total: 1_000, free: 60 })).toBe(0)
})
