import { expect, test } from 'vitest'
import { exportSessions, pageSeenPlayers, pageSessions } from './session-lists.ts'

const sessions = [
  { name: 'Ann', since: 1_000, until: 3_000 },
  { name: 'Ben', id: 'STEAM_1', since: 2_000, until: 4_000 },
  { name: 'Ann', id: '7', since: 5_000, until: 6_000 },
  { name: 'Ben', since: 7_000 },
]
const all = { page: 1, limit: 10 }
const time = (ms: number) => new Date(ms).toISOString()

test('sessions are listed newest first, by page, and found by a part of the name or the ID', () => {
  const { items, paging } = pageSessions(sessions, { page: 2, limit: 3 })

  expect(items).toEqual([{ name: 'Ann', since: time(1_000), until: time(3_000) }])
  expect(paging).toMatchObject({ page: 2, pageSize: 3, total: 4 })
  const find = (query: string) => pageSessions(sessions, { ...all, query }).items.map(({ since }) => Date.parse(since))
  expect([find('AN'), find('steam_'), find('eve')]).toEqual([[5_000, 1_000], [2_000], []])
})

test('each name is seen once, with its sessions together, online ones first', () => {
  const { items } = pageSeenPlayers(sessions, all, 9_000)

  expect(items).toEqual([
    {
      name: 'Ben',
      id: 'STEAM_1',
      isOnline: true,
      firstSeen: time(2_000),
      lastSeen: time(9_000),
      sessions: 2,
      totalMs: 4_000,
    },
    {
      name: 'Ann',
      id: '7',
      isOnline: false,
      firstSeen: time(1_000),
      lastSeen: time(6_000),
      sessions: 2,
      totalMs: 3_000,
    },
  ])
})

test('a name in an exported table is no formula, and ends no cell', () => {
  const names = ['=cmd|x', '+1', '-1', '@a', 'a"b,c', 'Ann']
  const stored = names.map((name, since) => ({ name, since, until: 9 }))

  const csv = [...exportSessions(stored, 'csv')].join('').split('\r\n')
  const json = [...exportSessions(stored, 'jsonl')].join('').trimEnd().split('\n')

  expect(csv.map((line) => line.split(',"",')[0])).toEqual([
    '"name","id","since","until"',
    `"'=cmd|x"`,
    `"'+1"`,
    `"'-1"`,
    `"'@a"`,
    '"a""b,c"',
    '"Ann"',
    '',
  ])
  expect(json.map((line) => JSON.parse(line).name)).toEqual(names)
})
