import type { ActivityEntry } from '@innkeeper/contract/activity/activity'
import { expect, test } from 'vitest'
import { groupBursts } from './bursts.ts'

const saved = (minute: number, changes: Partial<ActivityEntry> = {}): ActivityEntry => ({
  id: String(minute),
  at: new Date(Date.UTC(2026, 10, 20, 20, minute)).toISOString(),
  user: { id: 1, username: 'mara' },
  action: 'server.file.write',
  server: '0a1b2c3d',
  target: `${minute}.txt`,
  from: '203.0.113.7',
  result: 'done',
  ...changes,
})

const getIds = (entries: readonly ActivityEntry[]) => groupBursts(entries).map((group) => group.map(({ id }) => id))

test('three or more entries that differ only in target and time are a group', () => {
  expect(getIds([saved(30), saved(21), saved(12), saved(1), saved(0)])).toEqual([['30', '21', '12'], ['1'], ['0']])
})

test.each([
  ['user', { user: { id: 2, username: 'wren' } }],
  ['action', { action: 'server.file.delete' }],
  ['server', { server: 'ffffffff' }],
  ['IP address', { from: '203.0.113.8' }],
  ['result', { result: 'failed' }],
] as const)('an entry with another %s ends the group', (_, changes) => {
  expect(getIds([saved(4), saved(3), saved(2, changes), saved(1), saved(0)])).toEqual([
    ['4'],
    ['3'],
    ['2'],
    ['1'],
    ['0'],
  ])
})

test('an entry after more than ten minutes begins another group', () => {
  expect(getIds([saved(59), saved(58), saved(57), saved(2), saved(1), saved(0)])).toEqual([
    ['59', '58', '57'],
    ['2', '1', '0'],
  ])
})
