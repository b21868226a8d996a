import { expect, test } from 'vitest'
import { getPlayerHours } from './hours.ts'
import { getOnlinePlayers } from './online.ts'

test('half hours of several weeks are averaged by the hour of a weekday', () => {
  // A Wednesday, in the time zone of the tests.
  const from = new Date(2026, 3, 1, 18)
  const halfHours = 2 * 24 * 8
  const values: (number | null)[] = [2, 4, ...Array(halfHours - 2).fill(null)]
  values[2 * 24 * 7] = 6
  const peaks = values.map((value) => value && value + 1)

  const hours = getPlayerHours({ fromMs: from.getTime(), stepMs: 30 * 60_000, players: values, playersPeak: peaks })

  expect(hours).toHaveLength(7 * 24)
  expect(hours.filter(({ average }) => average !== null)).toEqual([{ weekday: 3, hour: 18, average: 4, peak: 7 }])
})

test('who is online are those whom the game names and whom lines show, once each', () => {
  const counts = { online: 3, max: 9 }
  const names = [{ name: 'Ann', id: '7' }, { name: 'Ben' }]
  const online = [
    { name: 'Ann', id: '7', since: 'a' },
    { name: 'Cid', since: 'c' },
  ]

  const listed = getOnlinePlayers({ isAsked: true, status: { players: { ...counts, names }, answeredMs: 1 }, online })

  expect(listed).toEqual([
    { name: 'Ann', id: '7', since: 'a' },
    { name: 'Ben', since: undefined },
    { name: 'Cid', since: 'c' },
  ])
  expect(getOnlinePlayers({ isAsked: false, online })).toEqual(online)
  expect(getOnlinePlayers({ isAsked: true, status: { players: { ...counts, names }, answeredMs: 1 } })).toHaveLength(2)
})
