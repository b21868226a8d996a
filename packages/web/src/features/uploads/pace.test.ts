import { expect, test } from 'vitest'
import { beginPace, paceAfter, restedPace, secondsLeft } from './pace.ts'

const along = (...samples: readonly [sent: number, at: number][]) =>
  samples.reduce((pace, [sent, at]) => paceAfter(pace, { sent, at }), beginPace(0))

test('what was there when an upload was taken up again is no speed', () => {
  expect(along([5_000_000, 10]).perSecond).toBeUndefined()
  expect(along([5_000_000, 10], [5_001_000, 1_010]).perSecond).toBe(1_000)
})

test('a steady speed is shown as it is', () => {
  expect(along([0, 0], [1_000, 1_000], [2_000, 2_000], [3_000, 3_000]).perSecond).toBeCloseTo(1_000)
})

test('a change of speed shows after a while, not at once', () => {
  const steady = along([0, 0], [1_000, 1_000])

  const soon = paceAfter(steady, { sent: 1_000, at: 1_250 }).perSecond ?? 0
  const later = paceAfter(steady, { sent: 1_000, at: 31_000 }).perSecond ?? 0

  expect(soon).toBeGreaterThan(900)
  expect(later).toBeLessThan(10)
})

test('after a pause, or when bytes have to be sent again, it is measured anew', () => {
  const steady = along([0, 0], [1_000, 1_000])

  expect(paceAfter(restedPace(steady), { sent: 1_100, at: 60_000 }).perSecond).toBeUndefined()
  expect(paceAfter(steady, { sent: 500, at: 1_500 })).toEqual({ sent: 500, at: 1_500, isMeasured: true })
})

test('the time left is only told when it is known', () => {
  expect(secondsLeft(along([0, 0], [1_000, 1_000]), 11_000)).toBe(10)
  expect(secondsLeft(beginPace(0), 11_000)).toBeUndefined()
})
