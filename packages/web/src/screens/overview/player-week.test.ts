import { expect, test } from 'vitest'
import { getWeek } from './player-week.ts'

test('the week of a server has its highest number for each four hours, and for all', () => {
  const stepMs = 30 * 60_000
  const month = Array.from({ length: 31 * 48 }, () => 2)
  const playersPeak = [...month.slice(0, -10), null, 3, 9, 4, null, 0, 0, 0, 0, 0]

  const { values, peak } = getWeek({ fromMs: 0, stepMs, players: month, playersPeak })

  expect(values).toHaveLength(42)
  expect(values.slice(-3)).toEqual([2, 3, 9])
  expect(peak).toBe(9)
  expect(getWeek({ fromMs: 0, stepMs, players: [], playersPeak: [] })).toEqual({ values: [], peak: 0 })
})
