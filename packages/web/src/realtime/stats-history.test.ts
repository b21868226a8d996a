import { expect, test } from 'vitest'
import { appendPoint, emptyHistory } from './stats-history.ts'

const noon = Date.UTC(2026, 10, 23, 12)

test('points stay in order when the clock of the node is ahead of the browser', () => {
  const loaded = appendPoint(emptyHistory(noon), { timestamp: noon + 5_000, cpu: 1, memory: 0 })

  const history = appendPoint(loaded, { timestamp: noon + 3_000, cpu: 2, memory: 0 })

  const timestamps = history.map(({ timestamp }) => timestamp)
  expect(timestamps).toEqual(timestamps.toSorted((a, b) => a - b))
  expect(history.slice(-2).map(({ cpu }) => cpu)).toEqual([1, 2])
})
