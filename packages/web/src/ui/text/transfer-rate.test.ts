import { expect, test } from 'vitest'
import { pauseRate, secondsLeft, startRate, updateRate } from './transfer-rate.ts'

const along = (...samples: readonly [sent: number, timestamp: number][]) =>
  samples.reduce((rate, [sent, timestamp]) => updateRate(rate, { sent, timestamp }), startRate(0))

test('bytes uploaded before a resume do not count into the rate', () => {
  expect(along([5_000_000, 10]).bytesPerSecond).toBeUndefined()
  expect(along([5_000_000, 10], [5_001_000, 1_010]).bytesPerSecond).toBe(1_000)
})

test('a steady speed is shown as it is', () => {
  expect(along([0, 0], [1_000, 1_000], [2_000, 2_000], [3_000, 3_000]).bytesPerSecond).toBeCloseTo(1_000)
})

test('a change of speed shows after a while, not at once', () => {
  const steady = along([0, 0], [1_000, 1_000])

  const soon = updateRate(steady, { sent: 1_000, timestamp: 1_250 }).bytesPerSecond ?? 0
  const later = updateRate(steady, { sent: 1_000, timestamp: 31_000 }).bytesPerSecond ?? 0

  expect(soon).toBeGreaterThan(900)
  expect(later).toBeLessThan(10)
})

test('after a pause or a retransmission the rate is measured from zero', () => {
  const steady = along([0, 0], [1_000, 1_000])

  expect(updateRate(pauseRate(steady), { sent: 1_100, timestamp: 60_000 }).bytesPerSecond).toBeUndefined()
  expect(updateRate(steady, { sent: 500, timestamp: 1_500 })).toEqual({ sent: 500, timestamp: 1_500, isMeasured: true })
})

test('the remaining time is shown only when it is known', () => {
  expect(secondsLeft(along([0, 0], [1_000, 1_000]), 11_000)).toBe(10)
  expect(secondsLeft(startRate(0), 11_000)).toBeUndefined()
})
