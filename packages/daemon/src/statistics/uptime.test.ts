import { statsRanges, uptimeDays } from '@innkeeper/contract/servers/stats-history'
import { limits } from '@innkeeper/contract/text/limits'
import { expect, test } from 'vitest'
import { getUptime } from './uptime.ts'

const { stepMs } = statsRanges.year
const none = { year: [], month: [], day: [] }
const dayMs = 4 * stepMs
const today = Date.UTC(2026, 10, 29)
/** The bucket at a time, with measurements for so many hours. */
const bucket = (at: number, hours: number) => ({
  number: at / stepMs,
  count: (hours * 60 * 60 * 1000) / limits.statsEveryMs,
})

test('a day has the part in which the server was measured, today so far', () => {
  const buckets = [
    bucket(today - 3 * dayMs, 6),
    bucket(today - 3 * dayMs + stepMs, 6),
    bucket(today - 2 * dayMs + 2 * stepMs, 1),
    bucket(today, 3),
  ]

  const { fromMs, days } = getUptime({ ...none, year: buckets }, today + stepMs)

  expect(fromMs).toBe(today - (uptimeDays - 1) * dayMs)
  expect(days).toHaveLength(uptimeDays)
  expect(days.slice(-5)).toEqual([null, 0.5, 0.042, 0, 0.5])
})

test('more measurements than planned are no more than all', () => {
  const { days } = getUptime(
    { ...none, year: [bucket(today - dayMs + 3 * stepMs, 7), bucket(today, 6)] },
    today + stepMs,
  )

  expect(days.slice(-3)).toEqual([null, 1, 1])
})

test.for([
  ['a minute', { day: today + stepMs / 2 }, 1],
  ['half an hour', { month: today + stepMs / 3 }, 0.75],
  ['hours, when that was long ago', { day: today + 2 * stepMs, month: today + stepMs }, 0.5],
] as const)('the first day counts from the first measurement, to %s', ([, first, expected]) => {
  const { day, month } = { day: undefined, month: undefined, ...first }
  const toBucket = (range: 'day' | 'month', at: number) => ({ number: at / statsRanges[range].stepMs, count: 1 })
  const buckets = {
    year: [bucket(today, 3)],
    month: month ? [toBucket('month', month)] : [],
    day: day ? [toBucket('day', day)] : [],
  }

  expect(getUptime(buckets, today + stepMs).days.at(-1)).toBe(expected)
})

test('a server that was never measured has no uptime', () => {
  expect(getUptime(none, today).days).toEqual(Array(uptimeDays).fill(null))
})
